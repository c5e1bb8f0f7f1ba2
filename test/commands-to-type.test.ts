import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { commands as commandTree } from '../src/cli/commands/index.ts';
import { buildProgram } from '../src/cli/program/command-tree.ts';
import { divideLine } from '../src/cli/program/typed-command.ts';
import { type CommandLine, gantryCommand } from '../src/kernel/command-line.ts';
import { emulatorForAll, gantry, newFolder, smallApp } from './support/index.ts';

// Names of apps, builds, files and branches are anybody's. What gantry says to type means them, whatever is in them.

/** What a parser or a terminal could take for something else. */
const hostile = ['-web', '--yes', '-p', '--json', 'a\u001b[2J\nb', '-'];
/** What a shell could. */
const forShell = ["it's $(id) `id`; a|b", '=ls', '~', '*', '#'];

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join('src', file));

const template = /\bgantryCommand`((?:[^`$]|\$\{(?:[^{}`]|`[^`]*`|\{[^}]*\})*\})*)`/g;

/** Each command in the sources. */
const commands = sources.flatMap((file) => {
  const found = readFileSync(file, 'utf8').matchAll(template);
  return [...found].map(([, text = '']) => ({ file, text }));
});
const hole = /\$\{((?:[^{}`]|`[^`]*`|\{[^}]*\})*)\}/;

/** The command of a template with these values; of one that begins with a value, its name is not known. */
function fill(text: string, value: string): CommandLine | undefined {
  const [first = '', ...rest] = text.split(new RegExp(hole, 'g'));
  if (first === '') return undefined;
  const texts = [first, ...rest.filter((_, at) => at % 2 === 1)];
  const values = rest.flatMap((code, at) => {
    if (at % 2 === 1) return [];
    const [, flag] = /^\{ '(--[\w-]+)':/.exec(code) ?? [];
    const isFlags = /^(flags|\{ (\.\.\.|\[))/.test(code);
    return [isFlags ? {} : flag ? { [flag]: value } : value];
  });
  return gantryCommand(texts as unknown as TemplateStringsArray, ...values);
}

test.each(hostile)('each command that gantry says to type takes the name %j', async (name) => {
  expect(commands.length).toBeGreaterThan(120);
  const offences: string[] = [];
  for (const { file, text } of commands) {
    const line = fill(text, name);
    if (!line) continue;
    const isNamed = String(line) !== String(fill(text, 'other'));
    const problem = await problemOf(line.argv.slice(1), isNamed ? name : '');
    if (problem) offences.push(`${file}: ${line}: ${problem}`);
  }
  expect(offences).toEqual([]);
});

/** Undefined if the parser takes the words, or refuses a value for what it says. */
async function problemOf(words: readonly string[], name: string): Promise<string | undefined> {
  if (words.includes('--help') || words[0] === 'help' || words.length === 0) return undefined;
  let seen = '';
  const run = async (_: unknown, flags: object, inputs: unknown[]) => {
    seen = JSON.stringify([flags, inputs]);
  };
  const program = buildProgram({ run, onHelp: () => {} });
  try {
    const end = words.includes('--') ? words.indexOf('--') : words.length;
    const typed = words.map((word, at) => (word === '--json' && at < end ? '--json=' : word));
    await program.parseAsync((await divideLine(typed)).words, { from: 'user' });
  } catch (error) {
    const { message } = error as Error;
    return /unknown (option|command)|unexpected argument|missing/i.test(message) ? message : undefined;
  }
  const isThere = seen.includes(JSON.stringify(name).slice(1, -1));
  return isThere ? undefined : `it means something else: ${seen}`;
}

test('a shell reads each of them as it was meant', () => {
  const lines = commands.flatMap(({ text }) => [...hostile, ...forShell].flatMap((name) => fill(text, name) ?? []));
  const script = `gantry() { printf '%s\\0' gantry "$@"; printf '\\n\\0'; }\n${lines.join('\n')}`;
  const { stdout } = spawnSync('bash', { input: script, encoding: 'utf8' });
  expect(stdout.split('\n\0').slice(0, -1)).toEqual(lines.map(({ argv }) => argv.map((word) => `${word}\0`).join('')));
});

/** Texts that name commands, and tell nobody to type one: help, patterns with a word in capitals, pipelines, and tables of prose. */
const tellsOfCommands =
  /^src\/(emulator|testing)\/|^src\/(kernel\/environment|cli\/(program\/(help|spellings)|commands\/(help|doctor)))\.ts|^src\/(local\/ci|causes\/rules)\//;
const toldAsText = /^\s*(fix|message|empty)\??[:=]|(fix|message|empty): *[`'"]|progress\.(note|warn|request)\(/;
const names = Object.values(commandTree).flatMap((group) => Object.keys(group));
const inText = new RegExp(`[\`'"(: ]gantry (${names.join('|')})\\b`);

test('what is told to type is a command, to which the flags of the place are added', () => {
  const offences = sources.flatMap((file) => {
    if (tellsOfCommands.test(file)) return [];
    const source = readFileSync(file, 'utf8')
      .replace(/\/\*\*[\s\S]*?\*\//g, '')
      .replace(template, 'COMMAND');
    const told = source.split('\n').filter((line) => toldAsText.test(line) && inText.test(line));
    // In another text it is no command any more.
    const texts = [...source.matchAll(/(\w*)`([^`]*)`/g)].filter(
      ([, tag, text]) => tag !== 'sentence' && /\$\{COMMAND\}/.test(text ?? ''),
    );
    return [...told, ...texts.map(([text]) => text)].map((text) => `${file}: ${text.trim()}`);
  });
  expect(offences).toEqual([]);
});

let cwd: string;

const emulator = emulatorForAll({ real: false, seed: 1 });

beforeAll(async () => {
  const web = [...emulator.store.apps.values()].find(({ id }) => id === `${emulator.project}-web`);
  if (!web) throw new Error('there is no app web');
  for (const name of hostile) {
    const id = `${emulator.project}-${name}`;
    emulator.store.apps.set(id, { ...web, id, name });
  }
  cwd = newFolder(smallApp());
});

/** Around the name, which stands behind `--`. */
const lines = ['apps get', 'builds list', 'apps scale --min-replicas 1', 'apps delete', 'rollback', 'explain'];

test.each(hostile)('what commands about the app %j say to type works', async (name) => {
  for (const line of lines) {
    const ended = await gantry([...line.split(' '), '--json', '--', name], { emulator, cwd });
    const { next = [], error } = ended.json() as { next?: { argv: string[] }[]; error?: { next?: string[] } };
    const advised = [...next.map(({ argv }) => argv), ...(error?.next ? [error.next] : [])];
    for (const [, ...typed] of advised) {
      const { code, stderr } = await gantry(typed, { emulator, cwd });
      expect([typed, code === 2 && stderr]).toEqual([typed, false]);
    }
  }
});
