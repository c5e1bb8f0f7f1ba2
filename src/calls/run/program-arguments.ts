import type { FunctionParameters } from '../../app/python-program.ts';
import { isOfNoText, pairsOf, parameterWords, samplesOf, ungiven } from '../../app/sample-call.ts';
import { closestName } from '../../kernel/closest-name.ts';
import { CommandLine, gantryCommand, sentence } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { isRecord, stringifyJson } from '../../kernel/json-text.ts';
import { overLimit } from '../../kernel/sizes.ts';
import type { Context } from '../../platform/context.ts';
import { runLimits } from '../../platform/contract/run-app.ts';
import { invalidParameter, parseParameters, readJsonData } from '../invoke/index.ts';

/** What follows the file on the command line of `gantry run`. */
export interface ProgramArguments {
  /** Parameters as `name=text` or `name:=json`. */
  pairs: string[];
  /** What was typed, without the flags of gantry: the command line of a script that reads its own. */
  argv: string[];
  /** Why they are no parameters. */
  invalid?: UsageError | undefined;
  /** The spellings that could be meant for gantry as well as for the program. */
  claims: Claim[];
  /** The spellings of all parameters, by name. */
  spellings: Map<string, string>;
}

interface Claim {
  flag: string;
  value: string | undefined;
  isUnderstood: boolean;
}

/** A flag of gantry, by all of its names. */
export interface OwnFlag {
  names: readonly string[];
  takesValue: boolean;
}

/** Divides what follows the file into parameters of the program and flags of gantry. Throws UsageError. */
export function parseProgramArguments(words: readonly string[], flags: readonly OwnFlag[]): ProgramArguments {
  const parsed: ProgramArguments = { pairs: [], argv: [], claims: [], spellings: new Map() };
  let isOwn = true;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--' && isOwn) isOwn = false;
    else if (word.startsWith('-') && word !== '-') at += readFlag(parsed, word, words[at + 1], isOwn ? flags : []);
    else {
      parsed.argv.push(word);
      addPair(parsed, word, word);
    }
  }
  return parsed;
}

/** Returns how many words after the flag are its value. */
function readFlag(parsed: ProgramArguments, word: string, after: string | undefined, flags: readonly OwnFlag[]): 0 | 1 {
  const [, name = word, separator = '=', inline] = /^(-{1,2}[^=:\s]+?)(:?=)(.*)$/s.exec(word) ?? [];
  const flag = flags.find(({ names }) => names.includes(name));
  const needsNext = inline === undefined && (flag?.takesValue ?? true);
  const next = needsNext && after !== undefined && mayBeValue(after) ? after : undefined;
  const value = inline ?? next;
  if (flag) claim(parsed, flag, value);
  else {
    parsed.argv.push(word);
    if (next !== undefined) parsed.argv.push(next);
    addParameter(parsed, name, separator, value);
  }
  return next === undefined ? 0 : 1;
}

/** The function that a run calls. */
export interface Called {
  name: string;
  parameters: FunctionParameters;
}

const namesOf = ({ parameters }: Called) => parameters.named.map(({ name }) => name);

/**
 * Decides what flags of gantry after the file are meant for: returns those that are parameters of the function, as
 * `name=text`. Refuses what could be meant for gantry as well, and parameters that the function does not have. `called` is
 * undefined for a script, which reads its own command line: its flags are in its source. Throws UsageError.
 */
export function checkProgramArguments(
  { claims, spellings, invalid, argv }: ProgramArguments,
  target: string,
  called: Called | undefined,
  source: string,
) {
  if (called && invalid) throw invalid;
  const before: Record<string, string | true> = {};
  for (const { flag, value = true as const } of claims) before[flag] = value;
  const line = gantryCommand`run ${before} ${target} ${argv}`;
  const names = called
    ? namesOf(called)
    : [...source.matchAll(/(['"])(--?\w[\w-]*)\1/g)].map(([, , flag = '']) => parameterName(flag));
  const claimed = claims.flatMap((each) => claimedParameter(each, [target, ...argv], { called, names, line }) ?? []);
  if (!called || called.parameters.takesAny) return claimed;
  for (const name of spellings.keys())
    if (!namesOf(called).includes(name)) throw byPosition(called) ?? unknownParameter(called, name, spellings);
  return claimed;
}

/** Who may take a flag: the program, whose parameters have these names, and gantry, by this line. */
interface Claimants {
  called: Called | undefined;
  names: readonly string[];
  line: CommandLine;
}

/** Undefined for a flag of gantry. */
function claimedParameter(claimed: Claim, words: string[], { called, names, line }: Claimants) {
  const { flag, value, isUnderstood } = claimed;
  const name = parameterName(flag);
  const isParameter = names.includes(name);
  if (isUnderstood && !isParameter) return undefined;
  if (called && isParameter && !isUnderstood && value !== undefined) {
    // So that nothing is silently taken for the other.
    const note = sentence`${flag} is passed to ${called.name}, which has this parameter; for gantry: ${line}`;
    return { pair: `${name}=${value}`, note };
  }
  throw misplaced(claimed, words, called, line);
}

function misplaced(claimed: Claim, words: string[], called: Called | undefined, line: CommandLine): UsageError {
  const { flag } = claimed;
  const [target] = words;
  const name = parameterName(flag);
  const isParameter = called !== undefined && namesOf(called).includes(name);
  const why = `what follows the file belongs to the program, and ${flag} is a flag of gantry run`;
  if (called && !isParameter && !called.parameters.takesAny)
    return new UsageError(`${flag} belongs before ${target}: ${called.name} has no parameter ${name}`, {
      why,
      fix: line,
    });
  const fix = sentence`for gantry: ${line}; for the program: ${programLine(claimed, words, called !== undefined)}`;
  return new UsageError(`${flag} after ${target} is ambiguous`, { why, fix, next: line });
}

function unknownParameter(called: Called, name: string, given: ReadonlyMap<string, string>): UsageError {
  const spelling = given.get(name) ?? name;
  const names = namesOf(called);
  const left = names.filter((each) => !given.has(each));
  const meant = closestName(name, left);
  const suggestion = meant ? `: did you mean ${spelling.startsWith('--') ? '--' : ''}${meant}?` : '';
  return new UsageError(`${called.name} has no parameter ${name}${suggestion}`, {
    why: names.length > 0 ? `its parameters: ${names.join(', ')}` : 'it has no parameters',
    corrected: meant ? { typed: spelling, meant: spelling.replace(name, meant) } : undefined,
  });
}

function programLine({ flag, value }: Claim, [target = '', ...others]: string[], isCalled: boolean): CommandLine {
  const parameter = parameterName(flag);
  return isCalled
    ? gantryCommand`run ${target} ${others} ${value === undefined ? `${parameter}:=true` : `${parameter}=${value}`}`
    : new CommandLine(['gantry', 'run', target, '--', ...others, flag, ...(value === undefined ? [] : [value])]);
}

/** The next word may be the value of a flag without `=`. A negative number is one. */
function mayBeValue(word: string): boolean {
  return !word.startsWith('-') || /^-(\d|\.\d|$)/.test(word);
}

/** Understood after the file, as in the official client, or because every command has it. */
const understood = ['--data', '--region', '-r', '--detach', '--json'];

function claim(parsed: ProgramArguments, { names, takesValue }: OwnFlag, value: string | undefined): void {
  const flag = names.find((name) => name.startsWith('--')) ?? names[0] ?? '';
  const isUnderstood = understood.includes(flag);
  if (isUnderstood && takesValue && value === undefined) throw new UsageError(`${flag} requires a value`);
  parsed.claims.push({ flag, value, isUnderstood });
}

function addParameter(parsed: ProgramArguments, flag: string, separator: string, value: string | undefined): void {
  const name = parameterName(flag);
  if (!flag.startsWith('--')) {
    parsed.invalid ??= new UsageError(`invalid argument "${flag}"`, { fix: 'write --name value, or name=value' });
  } else if (value === undefined) {
    parsed.invalid ??= new UsageError(`${flag} requires a value`, { fix: `${name}=text, or ${name}:=true for true` });
  } else addPair(parsed, `${name}${separator}${value}`, flag);
}

function addPair(parsed: ProgramArguments, pair: string, spelling: string): void {
  parsed.pairs.push(pair);
  parsed.invalid ??= invalidParameter(pair);
  const [, name] = /^([^=]+?):?=/s.exec(pair) ?? [];
  if (name !== undefined) parsed.spellings.set(name, spelling);
}

/** `max_tokens` for `--max-tokens`: Python has no hyphens in names. */
function parameterName(flag: string): string {
  return flag.replace(/^-+/, '').replaceAll('-', '_');
}

interface ArgumentSources {
  /** JSON, `@file` with JSON, or `-` for stdin. */
  data?: string | undefined;
  /** `name=text` or `name:=json`; they override keys of the data. */
  pairs: string[];
  /** `job.py::train`, as it was typed. */
  target: string;
  called: Called | undefined;
}

/** Returns the arguments of a function. Throws UsageError if they are invalid or too large, or if one is missing. */
export async function readArguments(context: Context, { data, pairs, target, called }: ArgumentSources) {
  const given = data === undefined ? {} : await readObject(context, data);
  const all: Record<string, unknown> = { ...given, ...(await parseParameters(context, pairs)) };
  if (called && !isWhole(called, given, pairs)) checkRequired(called, target, all);
  if (called) warnOfTexts(context, called, all);
  return { all, json: checkedSize(stringifyJson(all)) };
}

/** A function with one parameter may get the data itself. */
function isWhole(
  { parameters: { named, positional, takesAny } }: Called,
  data: object,
  pairs: readonly string[],
): boolean {
  return named.length + positional.length === 1 && !takesAny && pairs.length === 0 && Object.keys(data).length > 0;
}

/** Undefined for a function that takes nothing it needs by position only. */
function byPosition({ name, parameters }: Called): UsageError | undefined {
  const fixed = ungiven(parameters);
  if (fixed === '') return undefined;
  const fix = `remove the / from the parameters of ${name}`;
  return new UsageError(`${name} takes ${fixed} by position only, and a run gives parameters by name`, { fix });
}

function checkRequired(called: Called, target: string, given: object): void {
  const { named, isDecorated } = called.parameters;
  const { name } = called;
  const refused = byPosition(called);
  if (refused) throw refused;
  const missing = isDecorated ? {} : samplesOf(named, given);
  const names = Object.keys(missing);
  if (names.length === 0) return;
  throw new UsageError(`${name} requires ${names.join(', ')}`, {
    why: `its parameters: ${parameterWords(named)}`,
    corrected: { typed: target, meant: [target, ...pairsOf(missing)] },
  });
}

/** Python does not compare a value with the type that is declared. */
function warnOfTexts({ progress }: Context, { name, parameters }: Called, given: Record<string, unknown>): void {
  for (const { name: each, type } of parameters.named)
    if (typeof given[each] === 'string' && isOfNoText(type))
      progress.warn(`${each} is text, and ${name} takes ${type}: ${each}:=… passes JSON`);
}

async function readObject(context: Context, data: string): Promise<object> {
  const fix = `--data '{"name": "value"}', --data @file.json, or -- name=value`;
  const { value, source } = await readJsonData(context, data, fix);
  if (isRecord(value)) return value;
  throw new UsageError(`${source} is not a JSON object`, {
    why: "the keys of the object must match the function's parameters",
    fix,
  });
}

function checkedSize(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= runLimits.dataBytes) return text;
  const [has, most] = overLimit(bytes, runLimits.dataBytes);
  throw new UsageError(`the data is too large for a run: ${has} (maximum ${most})`, {
    fix: sentence`copy it to a volume, where the app reads /persistent-storage/data.json: ${gantryCommand`cp data.json volume:/`}`,
  });
}
