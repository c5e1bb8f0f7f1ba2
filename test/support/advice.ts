import { appendFileSync } from 'node:fs';
import { parseArgsStringToArgv } from 'string-argv';
import { buildProgram } from '../../src/cli/program/command-tree.ts';
import { divideLine } from '../../src/cli/program/typed-command.ts';
import { CommandLine } from '../../src/kernel/command-line.ts';

/** What a command line told its user to type: complete commands, and sentences that contain some. */
class Advice {
  readonly lines = new Map<string, readonly string[]>();

  add(argv: readonly string[]): void {
    this.lines.set(argv.join('\0'), argv);
  }
}

/** Of the command lines that run now. What one says counts for each that runs beside it: all of it is checked. */
const running = new Set<Advice>();

// Each complete command that is shown passes through here.
const { toString: shown } = CommandLine.prototype;
CommandLine.prototype.toString = function () {
  for (const advice of running) advice.add(this.argv);
  return shown.call(this);
};

/**
 * Runs a command line of a test, and throws if it told its user to type what gantry does not understand: a command that
 * does not exist, a flag that it does not have, too few or too many arguments.
 */
export async function checkAdvice<T extends { stdout: string; stderr: string }>(
  words: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const advice = new Advice();
  running.add(advice);
  const ended = await work().finally(() => running.delete(advice));
  const next = nextOf(ended.stdout);
  for (const argv of [...advice.lines.values(), ...next]) {
    const problem = (await problemOf(argv)) ?? blankOf(argv, words, next);
    if (problem) throw new Error(`gantry ${words.join(' ')} says to type: ${argv.join(' ')}\nbut ${problem}`);
  }
  for (const sentence of ended.stderr.match(/^ {2}fix .*\bgantry .*/gm) ?? []) {
    for (const [said] of sentence.matchAll(/\bgantry [^;,()]+/g)) {
      if (!(await startsWithCommand(said)))
        throw new Error(`gantry ${words.join(' ')} says: ${sentence}\nbut that is no command`);
    }
  }
  return ended;
}

/** A word of `next` that a person would replace, unless it was typed so. */
function blankOf(argv: Line, words: Line, next: readonly Line[]): string | undefined {
  const isNext = next.some((line) => line.join('\0') === argv.join('\0'));
  const blank = argv.find((word) => /^(:\/)?(NAME|FILE|URL|APP|BUILD|RUN|ID|VALUE|REV|TEXT)$/.test(word));
  return isNext && blank !== undefined && !words.includes(blank) ? `a program does not know ${blank}` : undefined;
}

type Line = readonly string[];

/** The commands in `next` of a result or an error, of which stdout has one, or one on each line. */
function nextOf(stdout: string): Line[] {
  if (!stdout.includes('"next"')) return [];
  const lines = () => stdout.split('\n').filter((line) => line.includes('"next"'));
  return (documentsIn(stdout) ?? lines().flatMap((line) => documentsIn(line) ?? [])).flatMap((document) => {
    const ofResult = Array.isArray(document?.next) ? document.next.map((one) => Object(one).argv) : [];
    return [...ofResult, document?.error?.next].filter((argv): argv is string[] => Array.isArray(argv));
  });
}

/** The entries of a list, or one object. */
function documentsIn(text: string): ({ next?: unknown; error?: { next?: unknown } } | null)[] | undefined {
  try {
    return [JSON.parse(text)].flat();
  } catch {
    return undefined;
  }
}

const problems = new Map<string, string | undefined>();

/** Why the parser refuses a command line. */
async function problemOf([program, ...words]: readonly string[]): Promise<string | undefined> {
  // Advice may be a command of another program: pip, git, a shell.
  if (program !== 'gantry') return undefined;
  const key = words.join('\0');
  if (!problems.has(key)) {
    problems.set(key, await refusalOf(words));
    if (process.env.GANTRY_TEST_ADVICE) appendFileSync(process.env.GANTRY_TEST_ADVICE, `${JSON.stringify(words)}\n`);
  }
  return problems.get(key);
}

async function refusalOf(given: readonly string[]): Promise<string | undefined> {
  const end = given.includes('--') ? given.indexOf('--') : given.length;
  const words = given.map((word, at) => (word === '--json' && at < end ? '--json=' : word));
  const first = words.find((word) => !word.startsWith('-'));
  if (first === 'help' || first === undefined) return undefined;
  let isHelp = false;
  const onHelp = () => {
    isHelp = true;
  };
  const program = buildProgram({ run: async () => {}, onHelp, firstWord: words[0] });
  try {
    await program.parseAsync((await divideLine(words)).words, { from: 'user' });
  } catch (error) {
    return isHelp ? undefined : (error as Error).message;
  }
  return undefined;
}

/**
 * Whether a sentence starts with a command: as many of its words as it takes to have all of its flags. It may only name
 * one, as in "use gantry cp".
 */
async function startsWithCommand(sentence: string): Promise<boolean> {
  const words = parseArgsStringToArgv(sentence.trim());
  const flags = words.findLastIndex((word) => word.startsWith('-'));
  for (let end = words.length; end > Math.max(flags, 1); end--) {
    const problem = await problemOf(words.slice(0, end));
    if (problem === undefined || /missing required argument/.test(problem)) return true;
  }
  return false;
}
