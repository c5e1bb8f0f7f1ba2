import { expect, test } from 'vitest';
import { reference } from '../../src/cli/reference.ts';
import { lines } from '../support/command-lines.ts';
import { emulatorForAll, gantry, newFolder } from '../support/index.ts';

const emulator = emulatorForAll({ real: false, seed: 1 });

const { commands } = await reference();

const files = { 'main.py': 'def hello(): return 1\n', 'inputs.jsonl': '{}\n' };

/** Why a file cannot be read, and what it has. Each line meets one of them, in turn: all read the file in one way. */
const broken: [why: string, config: string | Uint8Array][] = [
  ['invalid section header', '[cerebrium.deployment\nname = "web"\n'],
  ['cerebrium.toml is not valid UTF-8', Buffer.from([0xff])],
];

const inTurn = (all: string[][]) =>
  all.flatMap((words, at) => oneOf(broken, at).map(([why, config]) => [words, why, config] as const));
const oneOf = <Row>(rows: Row[], at: number) => rows.filter((_, index) => index === at % rows.length);

const run = (words: readonly string[], config: string | Uint8Array) =>
  gantry([...words], {
    emulator,
    cwd: newFolder({ ...files, 'cerebrium.toml': config }),
    env: { GANTRY_CONFIG_DIR: newFolder() },
  });

/** Commands that need no app. */
const needNone = ['cost', 'metrics serve', 'open', 'status'];

const takeApp = commands.filter(
  ({ command, arguments: [first], effect }) =>
    first?.name === 'app' && (effect !== 'destroys' || / cancel$/.test(command)),
);

/** The line of a command without the app. */
const withoutApp = ({ command }: { command: string }) => [
  ...command.split(' '),
  ...(lines[command] ?? []).filter((word) => !['web', 'build'].includes(word) && !/^[br]-1$/.test(word)),
  ...(/ cancel$/.test(command) ? ['b-1'] : []),
];

const needApp = takeApp.filter(({ command }) => !needNone.includes(command)).map((each) => withoutApp(each));

const failing = [
  ...needApp,
  ...[['deploy', '--yes'], ['deploy', '--dry-run'], ['check'], ['run', 'main.py::hello']],
  ...[['status', '--serves', 'HEAD'], ['secrets', 'list', '--app', '.'], ['apps', 'get', '.'], ['explain']],
  ...[['apps', 'tune', 'transcriber', '--write']],
];

test.each(inTurn(failing))('%s fails with the code of the file that it needs and cannot read', async (...row) => {
  const [words, why, config] = row;
  const { code, stderr } = await run(words, config);
  expect([code, stderr]).toEqual([10, expect.stringContaining(`error: ${why}\n`)]);
});

const warning = [
  // Of a whole month, it would read the calls of all apps.
  'cost --since 1d',
  ...needNone.filter((command) => command !== 'cost').map((command) => withoutApp({ command })),
  ...['metrics --live --for 10ms', 'status transcriber', 'explain --file main.py', 'explain transcriber'],
  ...['apps get transcriber', 'builds list transcriber'],
  'apps bench transcriber --yes --rate 1 --for 10ms --budget 1',
].map((line) => (typeof line === 'string' ? line.split(' ') : line));

test.each(inTurn(warning))('%s warns that it ignores the file that it cannot read', async (...row) => {
  const [words, why, config] = row;
  const { code, stderr } = await run(words, config);
  expect([code, stderr.match(/is ignored: .*/g)], stderr).toEqual([0, [`is ignored: ${why}`]]);
});

test('a file without a name is one that cannot be read, as in a deploy', async () => {
  const config = '[cerebrium.deployment]\npython_version = "3.11"\n';
  for (const line of ['deploy --yes', 'logs', 'explain']) expect((await run(line.split(' '), config)).code).toBe(10);
});

test('nothing is said of a file that no app is asked of', async () => {
  for (const line of ['apps list', 'volumes list', 'secrets list', 'apps containers transcriber']) {
    const { code, stderr } = await run(line.split(' '), '[x');
    expect([code, stderr.includes('toml')], line).toEqual([0, false]);
  }
});
