import { CommanderError } from 'commander';
import { createPage } from '../output/page.ts';
import { createRenderer } from '../output/render.ts';
import type { Io } from '../process.ts';
import { buildProgram, isCommand } from './command-tree.ts';
import { executeCommand, type RunState } from './execute-command.ts';

/** Parses the command line, runs one command and shows its result. Returns the exit code; throws failures. */
export async function runProgram(argv: string[], io: Io, state: RunState): Promise<number> {
  let code = 0;
  const help: string[] = [];
  const words = normalizeArguments(argv);
  const program = buildProgram(
    async (command, flags, inputs) => {
      code = await executeCommand(command, flags, inputs, io, state);
    },
    (text) => help.push(text),
    words[0],
  );
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (!isHelpOrVersion(error)) throw (await import('./usage-errors.ts')).usageError(error, argv);
    const renderer = createRenderer(io.stdout, createPage(io.stdout, io.env, 'auto', io.now()), false);
    await renderer.text(help.join(''));
  }
  return code;
}

/** `--json` takes a value only after `=`, so that `--json web` does not swallow `web`. `help x` becomes `x --help`. */
function normalizeArguments(argv: string[]): string[] {
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  const rest = end < 0 ? [] : argv.slice(end);
  const words = own.map((word) => (word === '--json' ? '--json=' : word));
  const [first, second] = words;
  if (first === 'help' && (second === undefined || isCommand(second))) return [...words.slice(1), '--help', ...rest];
  return [...words, ...rest];
}

function isHelpOrVersion(error: CommanderError): boolean {
  return error.code === 'commander.helpDisplayed' || error.code === 'commander.version';
}
