import { type Command as Commander, CommanderError } from 'commander';
import { asTyped, joinFields } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { createPage } from '../../kernel/output/page.ts';
import { createRenderer, type JsonChoice, type Renderer } from '../../kernel/output/render.ts';
import type { Io } from '../../kernel/process.ts';
import { ownLocation } from '../../own-files.ts';
import { namedCommand } from '../commands/index.ts';
import { buildProgram, isUnknownChild, namesOf } from './command-tree.ts';
import { executeCommand, parseJsonFlag } from './execute-command.ts';
import { commandPath, endOfOwn } from './read-words.ts';
import type { RunState } from './run-state.ts';
import { divideLine } from './typed-command.ts';

/** Parses the command line, runs one command and shows its result. Returns the exit code; throws failures. */
export async function runProgram(argv: string[], io: Io, state: RunState): Promise<number> {
  let code = 0;
  let hasStarted = false;
  let helpTarget: Commander | undefined;
  let words = normalizeArguments(argv);
  try {
    const line = await divideLine(words);
    words = line.typed;
    const { toType } = state;
    const typed = toType ? words.toSpliced(words.indexOf('-') - 1, 2, ...toType) : words;
    state.argv = typed.slice(io.implied?.length).map(asTyped);
    const program = buildProgram({
      firstWord: line.words[0],
      run: async (command, flags, inputs, called) => {
        hasStarted = true;
        const { programArguments } = line;
        const all = programArguments ? inputs.with(-2, programArguments) : inputs;
        code = await executeCommand({ command, called, flags, inputs: all }, io, state);
      },
      onHelp: (commander) => {
        helpTarget = commander;
      },
    });
    await program.parseAsync(line.words, { from: 'user' });
  } catch (error) {
    const isParseError = error instanceof CommanderError;
    if (hasStarted || !(isParseError || error instanceof UsageError)) throw error;
    if (helpTarget) await showHelp(helpTarget, words, io);
    else if (isParseError && error.code === 'commander.version') {
      await showVersion(error.message, words.includes('--json='), io);
    } else return runTranslated(error, words, io, state);
  }
  return code;
}

/** Runs what a user of the official client means, or throws why the command line is not valid. */
async function runTranslated(error: CommanderError | UsageError, words: string[], io: Io, state: RunState) {
  const { translateSpellings } = await import('./translate-spellings.ts');
  const translated = translateSpellings(words, Object(error).code === 'commander.excessArguments');
  if (!translated)
    throw error instanceof UsageError ? error : await (await import('./usage-errors.ts')).usageError(error, words);
  const { argv, input, toType, env, secrets, warning } = translated;
  state.secrets.add(secrets);
  const ownIo = { ...(input !== undefined && { input: { value: input } }), env: { value: { ...io.env, ...env } } };
  // Inherits from io: copying it would open its streams.
  return runProgram(argv, Object.create(io, ownIo), Object.assign(state, { toType, warning }));
}

/** `help x` and `--help x` become `x --help`. */
export function normalizeArguments(argv: readonly string[]): string[] {
  const words = joinFields(argv);
  const end = endOfOwn(words);
  return [...withHelpLast(words.slice(0, end)), ...words.slice(end)];
}

function withHelpLast(words: string[]): string[] {
  const [first = '', second, third = '-'] = words;
  const whole = words.filter((word) => wholeHelp.has(word) || word.startsWith('--json='));
  const isWhole = words.some((word) => wholeHelp.has(word)) && words.some((word) => /^(--help|-h)$/.test(word));
  if (isWhole && namedCommand(first)) return ['help', ...commandPath(words), ...whole];
  if (first === '--help' || first === '-h') return [...words.slice(1), first];
  const isHelp = first === 'help' && (second === undefined || namedCommand(second) !== undefined);
  if (!isHelp || words.some((word) => wholeHelp.has(word))) return words;
  // Without --help, an unknown command is an error.
  const isUnknown = second !== undefined && !third.startsWith('-') && isUnknownChild(second, third);
  return [...words.slice(1), ...(isUnknown ? [] : ['--help'])];
}

/** Flags of `help`, which says more than `--help`. */
const wholeHelp = new Set(['--all', '--schema']);

/** As JSON with where gantry is, and what runs it. */
async function showVersion(version: string, json: boolean, io: Io): Promise<void> {
  if (!json) return stdoutRenderer(io).text(`${version}\n`);
  const { versions, platform, arch } = process;
  const installation = { version, path: ownLocation(), node: versions.node, platform: `${platform}-${arch}` };
  await stdoutRenderer(io, true).value(installation, () => version);
}

/** Shows the help of a command, of a group that was called without a command, or of the program. */
async function showHelp(commander: Commander, words: string[], io: Io): Promise<void> {
  const { helpSourceOf, helpView } = await import('../reference.ts');
  const source = await helpSourceOf(namesOf(commander).join(' '));
  const json = words.findLast((word) => word.startsWith('--json='))?.slice('--json='.length);
  await stdoutRenderer(io, parseJsonFlag(json)).value(source, helpView(source));
}

function stdoutRenderer(io: Io, json: JsonChoice = false): Renderer {
  return createRenderer(io.stdout, createPage(io.stdout, io.env, 'auto', io.now()), json);
}
