import type { FunctionParameters } from '../../app/main-guard.ts';
import { closestName } from '../../app/toml/closest-name.ts';
import { CommandLine, gantryCommand, type Sentence, sentence } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';

/** What follows the file on the command line of `gantry run`. */
export interface ProgramArguments {
  /** Parameters as `name=text` or `name:=json`. */
  pairs: string[];
  /** What was typed, without the flags of gantry: the command line of a script that reads its own. */
  argv: string[];
  /** Why they are no parameters. */
  invalid?: UsageError;
  /** Flags of gantry that are understood here, too. */
  data?: string | undefined;
  region?: string | undefined;
  detach: boolean;
  /** The spellings that could be meant for gantry as well as for the program. */
  claims: Claim[];
  /** The spellings of all parameters, by name. */
  spellings: Map<string, string>;
}

/** A flag of gantry that follows the file. */
interface Claim {
  /** `--name`. */
  flag: string;
  value: string | undefined;
  /** Whether it is understood after the file. */
  isUnderstood: boolean;
}

/** A flag of gantry that is passed to the function instead. */
interface ClaimedParameter {
  /** `name=text`. */
  pair: string;
  /** So that nothing is silently taken for the other. */
  note: Sentence;
}

/** A flag of gantry, by all of its names. */
export interface OwnFlag {
  names: readonly string[];
  takesValue: boolean;
}

/** Divides what follows the file into parameters of the program and flags of gantry. Throws UsageError. */
export function parseProgramArguments(words: readonly string[], flags: readonly OwnFlag[]): ProgramArguments {
  const found: ProgramArguments = { pairs: [], argv: [], detach: false, claims: [], spellings: new Map() };
  let isOwn = true;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const start = at;
    if (word === '--' && isOwn) {
      isOwn = false;
      continue;
    }
    if (!word.startsWith('-') || word === '-') {
      found.argv.push(word);
      addPair(found, word, word);
      continue;
    }
    const [, name = word, separator, inline] = /^(-{1,2}[^=:\s]+?)(:?=)(.*)$/s.exec(word) ?? [];
    const flag = isOwn ? flags.find(({ names }) => names.includes(name)) : undefined;
    const needsNext = inline === undefined && (flag ? flag.takesValue : true);
    const next = needsNext ? nextValue(words, at) : undefined;
    if (next !== undefined) at += 1;
    const value = inline ?? next;
    if (flag) claim(found, flag, value);
    else {
      for (const each of words.slice(start, at + 1)) found.argv.push(each);
      addParameter(found, name, separator ?? '=', value);
    }
  }
  return found;
}

/**
 * Decides what flags of gantry after the file are meant for: returns those that are parameters of the function, as
 * `name=text`. Refuses what could be meant for gantry as well, and parameters that the function does not have. `called` is
 * undefined for a script, which reads its own command line. Throws UsageError.
 */
export function checkProgramArguments(
  { claims, spellings, invalid }: ProgramArguments,
  target: string,
  called: { name: string; parameters: FunctionParameters } | undefined,
): ClaimedParameter[] {
  if (called && invalid) throw invalid;
  const names = called?.parameters.named.map(({ name }) => name) ?? [];
  const claimed: ClaimedParameter[] = [];
  for (const one of claims) {
    const isParameter = names.includes(parameterName(one.flag));
    if (one.isUnderstood && !isParameter) continue;
    if (isParameter && !one.isUnderstood && one.value !== undefined) {
      const own = gantryCommand`run ${{ [one.flag]: one.value }} ${target}`;
      const note = sentence`${one.flag} is passed to ${called?.name ?? ''}, which has this parameter; for gantry: ${own}`;
      claimed.push({ pair: `${parameterName(one.flag)}=${one.value}`, note });
      continue;
    }
    throw new UsageError(`${one.flag} after ${target} is ambiguous`, {
      why: isParameter
        ? `it is a flag of gantry run and a parameter of ${called?.name}`
        : `what follows the file belongs to the program, and ${one.flag} is a flag of gantry run`,
      fix: bothSpellings(one, target, called !== undefined),
    });
  }
  if (!called || called.parameters.takesAny) return claimed;
  for (const [name, spelling] of spellings) {
    if (names.includes(name)) continue;
    const meant = closestName(name, names);
    const suggestion = meant ? `: did you mean ${spelling.startsWith('--') ? '--' : ''}${meant}?` : '';
    throw new UsageError(`${called.name} has no parameter ${name}${suggestion}`, {
      why: names.length > 0 ? `its parameters: ${names.join(', ')}` : 'it has no parameters',
      ...(meant && { corrected: { typed: spelling, meant: spelling.replace(name, meant) } }),
    });
  }
  return claimed;
}

function bothSpellings({ flag, value }: Claim, target: string, isCalled: boolean): Sentence {
  const own = gantryCommand`run ${{ [flag]: value ?? true }} ${target}`;
  const parameter = parameterName(flag);
  const program = !isCalled
    ? new CommandLine(['gantry', 'run', target, '--', flag, ...(value === undefined ? [] : [value])])
    : gantryCommand`run ${target} ${value === undefined ? `${parameter}:=true` : `${parameter}=${value}`}`;
  return sentence`for gantry: ${own}; for the program: ${program}`;
}

/** The value of a flag without `=`. A negative number is one. */
function nextValue(words: readonly string[], at: number): string | undefined {
  const next = words[at + 1];
  return next === undefined || (next.startsWith('-') && !/^-(\d|\.\d|$)/.test(next)) ? undefined : next;
}

/** Understood after the file, as in the official client, or because every command has it. */
const understood = ['--data', '--region', '-r', '--detach', '--json'];

function claim(found: ProgramArguments, { names, takesValue }: OwnFlag, value: string | undefined): void {
  const flag = names.find((name) => name.startsWith('--')) ?? names[0] ?? '';
  const isUnderstood = understood.includes(flag);
  if (isUnderstood && takesValue && value === undefined) throw new UsageError(`${flag} requires a value`);
  found.claims.push({ flag, value, isUnderstood });
  if (flag === '--data') found.data = value;
  if (flag === '--region' || flag === '-r') found.region = value;
  if (flag === '--detach') found.detach = true;
}

function addParameter(found: ProgramArguments, flag: string, separator: string, value: string | undefined): void {
  const name = parameterName(flag);
  if (!flag.startsWith('--')) {
    found.invalid ??= new UsageError(`invalid argument "${flag}"`, { fix: 'write --name value, or name=value' });
  } else if (value === undefined) {
    found.invalid ??= new UsageError(`${flag} requires a value`, { fix: `${name}=text, or ${name}:=true for true` });
  } else addPair(found, `${name}${separator}${value}`, flag);
}

function addPair(found: ProgramArguments, pair: string, spelling: string): void {
  found.pairs.push(pair);
  const [, name] = /^([^=]+?):?=/s.exec(pair) ?? [];
  if (name !== undefined) found.spellings.set(name, spelling);
}

/** `max_tokens` for `--max-tokens`: Python has no hyphens in names. */
function parameterName(flag: string): string {
  return flag.replace(/^-+/, '').replaceAll('-', '_');
}
