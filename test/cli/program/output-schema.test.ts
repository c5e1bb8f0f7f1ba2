import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { outputSchemaOf, reference } from '../../../src/cli/reference.ts';
import { checkDeclared } from '../../support/declared.ts';
import { gantry, newFolder, smallApp, startEmulator } from '../../support/index.ts';

test.each([
  ['deploy --events', 'a result without its fields', { type: 'result' }],
  ['deploy --events', 'an event of an unknown type', { type: 'finished' }],
  ['deploy --events', 'a value that is no line', { app: 'web' }],
  ['deploy --events', 'an error without its facts', { type: 'error', error: { message: 'no' } }],
  ['deploy --json', 'an event', { type: 'status', build: 'b-1', status: 'building' }],
  ['invoke web --json', 'an event without its type', { event: null, data: '', id: null }],
  ['invoke web --events', 'an event without its fields', { type: 'event' }],
  ['deploy --json=app,build', 'fewer fields', { app: 'web' }],
  ['deploy --json=app', 'more fields', { app: 'web', build: 'b-1' }],
  ['deploy --json=app', 'a field of another type', { app: 1 }],
  ['secrets list --json=name', 'a document', { name: 'A' }],
  ['logs web --json', 'another last line', { type: 'result', lines: 1 }],
  ['help deploy --json', 'half a description', { command: 'deploy' }],
  ['apps --help --json', 'half a group', { group: 'apps' }],
])('%s does not print %s', async (line, _, printed) => {
  const ended = { code: 0, stdout: `${JSON.stringify(printed)}\n` };
  await expect(checkDeclared(line.split(' '), ended)).rejects.toThrow('does not allow');
});

test.each(['deploy --events', 'deploy --json', 'deploy --dry-run --events', 'invoke web --events', 'logs web --json'])(
  'all that gantry %s prints matches the schema that the reference prints',
  async (line) => {
    const emulator = await startEmulator();
    const app = newFolder(smallApp());
    await gantry(['deploy'], { emulator, cwd: app });
    const [name = ''] = line.split(' ');
    const { json } = await gantry(['help', name, '--schema']);
    const { $schema, ...schema } = json() as { $schema: string };
    const matches = new Ajv2020({ strict: true, strictTypes: false }).compile(schema);
    for (const project of [[], ['-p', 'p-other']]) {
      const { stdout } = await gantry([...line.split(' '), ...project], { emulator, cwd: app });
      const values = stdout.startsWith('{\n') ? [stdout] : stdout.trimEnd().split('\n');
      for (const value of values) expect(matches(JSON.parse(value)), value).toBe(true);
    }
    await emulator.close();
  },
);

test('--json=fields picks from the help of a command, too', async () => {
  const { json } = await gantry(['deploy', '--help', '--json=command,effect']);
  expect(json()).toEqual({ command: 'deploy', effect: 'changes' });
});

/** Documents of the platform, printed as they came, and of JSON Schema. */
const passedThrough: Record<string, string[]> = {
  'apps list': ['cost_metrics', 'request_metrics'],
  check: ['$schema'],
  help: ['$schema', '$defs'],
};

test('fields of all documents are camelCase, unless they are passed through from the platform', async () => {
  const commands = (await reference()).commands.flatMap(({ command, output }) => (output ? [command] : []));
  const foreign = await Promise.all(
    commands.map(async (command) => {
      const names = [...fieldsOf(await outputSchemaOf(command))].filter((name) => !/^[a-z][a-zA-Z0-9]*$/.test(name));
      return [command, [...new Set(names)]] as const;
    }),
  );
  expect(Object.fromEntries(foreign.filter(([, names]) => names.length > 0))).toEqual(passedThrough);
});

test('every value of a result says what it is', async () => {
  const commands = (await reference()).commands.flatMap(({ command, output }) => (output ? [command] : []));
  const silent = await Promise.all(
    commands.map(async (command) => [...unsaid(await outputSchemaOf(command))].map((path) => `${command}: ${path}`)),
  );
  expect(silent.flat()).toEqual([]);
});

test('every command, argument and flag says what it is', async () => {
  const all = await reference();
  expect([...unsaid(all)]).toEqual([]);
  expect(all.commands.filter(({ summary }) => summary === '')).toEqual([]);
});

test('no result has the field error, which only a failure has', async () => {
  const results = (await reference()).commands.flatMap(({ command, json }) =>
    json && 'error' in json ? [command] : [],
  );
  expect(results).toEqual([]);
});

/** The names of all properties of a schema, at any depth. */
function* fieldsOf(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties } = schema as { properties?: object };
  if (properties) yield* Object.keys(properties);
  for (const inner of Object.values(schema)) yield* fieldsOf(inner);
}

/** Where the description of a value is empty, at any depth. */
function* unsaid(schema: unknown, path = ''): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [name, inner] of Object.entries(schema)) {
    if (name === 'description' && inner === '') yield path;
    yield* unsaid(inner, `${path}.${name}`);
  }
}
