import { expect, test } from 'vitest';
import { commands } from '../../src/cli/commands/index.ts';
import { helpText } from '../../src/cli/program/help.ts';
import { reference, referenceOf } from '../../src/cli/reference.ts';
import { faults } from '../../src/emulator/index.ts';
import { variables } from '../../src/kernel/environment.ts';
import { exitCodes } from '../../src/kernel/errors.ts';
import { version } from '../../src/kernel/version.ts';
import { loadCommand } from '../support/commands.ts';
import { gantry } from '../support/gantry.ts';

test.each([
  ['flags', ['-h, --help', '--json[=fields]', '--project']],
  ['exit-codes', Object.keys(exitCodes)],
  ['environment', Object.keys(variables)],
  ['json', ['--json=id,status', '--events']],
  ['version', [version]],
  ['faults', Object.values(faults).flatMap((known) => Object.keys(known))],
])('help %s is complete, as text and as JSON', async (topic, words) => {
  const text = await gantry(['help', topic]);
  expect(text.code).toBe(0);
  for (const word of words) expect(text.stdout).toContain(word);
  const { json } = await gantry(['help', topic, '--json']);
  expect(json()).toHaveLength(text.stdout.trim().split('\n').length);
});

test.each(['topics', 'flags', 'exit-codes', 'environment', 'json', 'faults'])(
  'help %s wraps long cells on a narrow terminal and truncates nothing',
  async (topic) => {
    const plain = await gantry(['help', topic]);
    for (const columns of [46, 60, 80, 120]) {
      const { stdout } = await gantry(['help', topic], { columns, env: { NO_COLOR: '1' } });
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
      const [titles = '', ...rows] = stdout.split('\n');
      expect(titles).toMatch(/^[A-Z ]+$/);
      expect(lettersOf(rows.join('\n'))).toEqual(lettersOf(plain.stdout));
    }
  },
);

test.each([['deploy'], ['builds', 'cancel'], ['apps'], ['emulator', 'exec']])(
  'help %s %s is its --help',
  async (...words) => {
    const help = await gantry(['help', ...words]);
    expect(help).toPrint((await gantry([...words, '--help'])).stdout);
    expect(help.stdout).toContain(`USAGE\n  gantry ${words.join(' ')}`);
  },
);

test.each([
  ['scale --help', 'apps scale'],
  ['--help apps scale', 'apps scale'],
  ['-h scale', 'apps scale'],
  ['secrets ls -h', 'secrets list'],
  ['containers list --help', 'apps containers'],
  ['app scale --help', 'apps scale'],
  ['download --help', 'cp'],
  ['upload -h', 'cp'],
  ['secrets add --help', 'secrets set'],
  ['save-auth-config --help', 'login'],
])('%s is the help of %s', async (typed, meant) => {
  expect(await gantry(typed.split(' '))).toPrint((await gantry([...meant.split(' '), '--help'])).stdout);
});

test.each([
  ['apps frob --help', 'unknown command "frob"', 'gantry apps --help'],
  ['frob --help', 'unknown command "frob"', 'gantry --help'],
  ['--help frob', 'unknown command "frob"', 'gantry --help'],
  ['aps list --help', 'unknown command "aps": did you mean api or apps?', 'gantry apps list --help'],
  ['team --help', 'unknown command "team"', 'see gantry help users list, apps prune, history'],
  ['upgrade --help', 'gantry does not replace itself', 'gantry doctor'],
  ['mcp frob --help', 'unknown command "frob"', 'gantry mcp --help'],
  ['users frob --help', 'unknown command "frob"', 'gantry users --help'],
])('%s is an error, not the help of another command', async (typed, message, fix) => {
  const { code, stdout, stderr } = await gantry(typed.split(' '));
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`error: ${message}`);
  expect(stderr).toContain(`  fix ${fix}\n`);
});

test('help of an unknown topic exits with 2 and lists the topics', async () => {
  const child = await gantry(['help', 'apps', 'nonsense']);
  expect([child.code, child.stderr]).toEqual([2, 'error: unknown command "nonsense"\n  fix gantry apps --help\n']);
  const outcome = await gantry(['help', 'nonsense']);
  expect(outcome).toExit(2, 'available topics: topics, flags, exit-codes, environment, json, version, agents, faults');
});

test('help alone shows the commands', async () => {
  expect(await gantry(['help'])).toPrint((await gantry(['--help'])).stdout);
});

test('--help shows the twenty commands that people use, and help --all every command', async () => {
  const words = Object.values(commands).flatMap((entries) => Object.keys(entries));
  const named = (text: string) => [
    ...(text.split('\nFLAGS\n')[0] ?? '').matchAll(/^ {2}([a-z-]+(?:, [a-z-]+)*)(?= {2}|$)/gm),
  ];
  const listOf = (text: string) => named(text).flatMap(([, names = '']) => names.split(', '));
  const usual = listOf((await gantry(['--help'])).stdout);
  expect(usual).toHaveLength(20);
  expect(words).toEqual(expect.arrayContaining(usual));
  const all = await gantry(['help', '--all']);
  expect(listOf(all.stdout).sort()).toEqual(words.sort());
});

test('deploy --help has three groups of flags in 35 lines; the reference has them all', async () => {
  const { stdout } = await gantry(['deploy', '--help'], { columns: 80, env: { NO_COLOR: '1' } });
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(35);
  expect(stdout.match(/^FLAGS.*$/gm)).toEqual(['FLAGS: WHAT IS SENT', 'FLAGS: WHEN', 'FLAGS: AFTERWARDS']);
  expect(stdout).not.toContain('--log-level');
  const { flags } = await referenceOf('deploy');
  expect(flags.find((flag) => flag.flags.startsWith('--log-level'))).toMatchObject({ seldom: true });
  const described = (await gantry(['help', 'deploy', '--all'])).stdout;
  for (const flag of flags) expect(described).toContain(flag.flags);
});

/** Every letter, in an order that does not depend on where cells are wrapped. */
function lettersOf(text: string): string[] {
  return [...text.replace(/\s+/g, '')].sort();
}

/** What is said in one breath; the reference and the site have the rest. */
const most = { characters: 80, words: 14, wordsOfSentence: 25, wordsOfParagraph: 40 };

test('each argument and flag is told in one thing that fits, and each paragraph is short', async () => {
  const { commands: all, flags: shared } = await reference();
  const words = (text: string) => text.match(/\S*\w\S*/g)?.length ?? 0;
  const long = [{ command: '', arguments: [], flags: shared, details: [] }, ...all].flatMap((one) => [
    ...[...one.arguments, ...one.flags]
      .map(({ description }) => description)
      .filter((text) => text.length > most.characters || words(text) > most.words || /[a-z]\.( |$)/.test(text)),
    ...one.details.filter(
      (text) =>
        words(text) > most.wordsOfParagraph || text.split(/[.:;] /).some((each) => words(each) > most.wordsOfSentence),
    ),
  ]);
  expect(long).toEqual([]);
  const stems = (text: string): string[] => text.toLowerCase().match(/\b[a-z]{3}/g) ?? [];
  const twice = all.filter(({ summary, details: [first = ''] }) => {
    const said = stems(first.split(/[.:] /)[0] ?? '');
    return stems(summary).every((stem) => said.includes(stem));
  });
  expect(twice.map(({ command }) => command)).toEqual([]);
  const lines = all.flatMap((one) => helpText({ ...one, isWhole: true }).split('\n'));
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test.each(['invoke', 'apps list', 'apps'])('%s --help --all is help %s --all', async (line) => {
  const words = line.split(' ');
  const { stdout } = await gantry(['help', ...words, '--all']);
  expect((await gantry([...words, '--help', '--all'])).stdout).toBe(stdout);
  expect((await gantry([...words, '--all', '-h'])).stdout).toBe(stdout);
});

test('help --all of a group shows its commands, as its help does', async () => {
  for (const group of ['apps', 'secrets', 'service-accounts', 'emulator']) {
    expect(await gantry(['help', group, '--all'])).toPrint((await gantry([group, '--help'])).stdout);
  }
});

test.each([
  ['apps', 'apps is a group of commands', 'gantry help apps list --schema'],
  ['', 'missing command', 'gantry help init --schema'],
])('help %s --schema names a command that has one', async (group, said, fix) => {
  const { code, stderr } = await gantry(['help', ...group.split(' ').filter(Boolean), '--schema']);
  expect([code, stderr]).toEqual([2, `error: ${said}\n  fix name a command, such as ${fix}\n`]);
});

test('help json names every command that prints a result with another exit code than 0', async () => {
  const { stdout } = await gantry(['help', 'json']);
  const { commands } = await reference();
  const failing = [];
  for (const { command } of commands) {
    const { exit, json } = await loadCommand(command);
    if (json && !/=>\s*["']ok["']/.test(String(exit))) failing.push(command);
  }
  const [, named = ''] = /--json; (.*) print a result with others than 0/.exec(stdout) ?? [];
  expect(named.split(/, | and /)).toEqual(failing.sort());
});
