import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { smallApp } from '../support/app.ts';
import {
  altering,
  emulatorForEach,
  expectErrorDocument,
  gantry,
  keys,
  newFolder,
  type Setting,
} from '../support/index.ts';

const emulator = emulatorForEach({ real: false });

const value = 'sk-live-4711/=#"';
const kept = (owner = emulator.project) => emulator.store.secrets.get(owner);
const give = (secrets: Record<string, string>) => emulator.store.secrets.set(emulator.project, secrets);
const written = () => emulator.calls.filter(({ method }) => method === 'PATCH');
const run = (words: string[], setting: Setting = {}) => gantry(['secrets', ...words], { emulator, ...setting });

describe('the list', () => {
  test('is sorted by name and hides the values', async () => {
    give({ ZED: value, A: value });
    const { stdout } = await run(['list']);
    expect(stdout).toBe('A\nZED\n');
    expect((await run(['list', '--json'])).json()).toEqual([{ name: 'A' }, { name: 'ZED' }]);
    expect((await run(['list', '--json=name,value'])).json()).toContainEqual({ name: 'A', value: null });
  });

  test('shows whole values on request, even on a narrow terminal', async () => {
    const long = 'x'.repeat(200);
    give({ A: long, B: '' });
    expect((await run(['list', '--show-values'], { columns: 40 })).stdout).toContain(long);
    expect((await run(['list', '--show-values', '--json'])).json()).toEqual([
      { name: 'A', value: long },
      { name: 'B', value: '' },
    ]);
  });

  test.each(['null', 'nothing at all'])('is empty if the platform replies with %s', async (answer) => {
    if (answer !== 'null') emulator.fail('getProjectSecrets', 'empty');
    const { code, stdout, stderr } = await run(['list']);
    expect([code, stdout, stderr]).toEqual([0, '', 'no secrets yet: add one with gantry secrets set NAME\n']);
  });

  test('of an app is that of the app', async () => {
    await deployWeb();
    emulator.fail('getAppSecrets', 'empty');
    expect((await run(['list', '--app', 'web', '--json'])).json()).toEqual([]);
    emulator.store.secrets.set(`${emulator.project}-web`, { OWN: value });
    give({ OF_ALL: value });
    expect((await run(['list', '--app', 'web', '--json'])).json()).toEqual([{ name: 'OWN' }]);
  });
});

describe('a value is read', () => {
  test('from a file, without the final newline', async () => {
    const folder = newFolder({ key: 'line 1\nline 2\n\n' });
    expect(await run(['set', 'KEY', '--from-file', 'key'], { cwd: folder })).toPrint('added: KEY\n');
    expect(kept()).toEqual({ KEY: 'line 1\nline 2\n' });
    await run(['set', 'RAW', '--from-file', 'key', '--keep-newline'], { cwd: folder });
    expect(kept()?.RAW).toBe('line 1\nline 2\n\n');
  });

  test('from stdin, without what Windows adds', async () => {
    await run(['set', 'KEY', '--from-file', '-'], { stdin: `\ufeff${value}\r\n` });
    expect(kept()).toEqual({ KEY: value });
  });

  test('from the environment, for several names', async () => {
    const { json } = await run(['set', 'B', 'A', '--from-env', '--json'], { env: { A: value, B: '2' } });
    expect(json()).toEqual({
      app: null,
      changed: true,
      added: ['A', 'B'],
      replaced: [],
      removed: [],
      unchanged: [],
      stale: [],
      restartable: [],
    });
    expect(kept()).toEqual({ A: value, B: '2' });
  });

  test('from a prompt that shows a * for each character', async () => {
    const { code, stdout, stderr } = await run(['set', 'KEY'], { columns: 80, stdin: keys(`${value}\r`) });
    expect([code, stdout]).toEqual([0, 'added: KEY\n']);
    expect(stripVTControlCharacters(stderr)).toContain(`Value of KEY ${'*'.repeat(value.length)}`);
    expect(stderr).not.toMatch(/sk-|toggle/);
    expect(kept()).toEqual({ KEY: value });
  });

  test('not without a source and a terminal: exits with 9 without waiting for stdin', async () => {
    const outcome = await run(['set', 'KEY', '--json']);
    expect(outcome).toExit(9, 'gantry secrets set KEY --json --from-file -');
    expectErrorDocument(outcome);
  });

  test('for one app only', async () => {
    await deployWeb();
    await run(['set', 'KEY', '--app', 'web', '--from-env'], { env: { KEY: value } });
    expect([kept(`${emulator.project}-web`), kept()]).toEqual([{ KEY: value }, undefined]);
  });

  test.each([
    [['set', 'KEY=sk-live-4711'], 'fix gantry secrets set KEY --from-file -\n'],
    [['set', 'OK', 'KEY=sk-live-4711'], 'fix gantry secrets set KEY --from-file -\n'],
    [['set', 'sk-live-4711=='], 'fix gantry secrets set NAME --from-file -\n'],
    [['set', 'KEY', 'sk-live-4711/x'], 'fix gantry secrets set KEY --from-file -\n'],
    [['set', 'KEY', 'sk-live-4711-0815'], 'fix gantry secrets set KEY --from-file -\n'],
    [['set', 'KEY', 'sk-live'], 'fix gantry secrets set KEY --from-file -\n'],
    [['set', 'KEY', 'sk_live_word'], 'fix gantry secrets set KEY --from-file -\n'],
    [['set', 'A', 'B', 'sk-live-4711/x'], 'fix gantry secrets set A --from-file -\n'],
    [['set', 'KEY', 'sk-live', '--from-file', '-'], 'secret values cannot be passed as arguments'],
    [['set', 'KEY', 'sk_live_word', '--from-env'], '--from-env: argument 2 is not set in the environment'],
    [['set', 'sk-live'], 'argument 1 is not a secret name'],
    [['set', '4711'], 'gantry secrets set --from-env-file FILE takes other names'],
    [['unset', 'sk-live-4711 x'], 'argument 1 is not a valid secret name'],
  ])('not from the command line: %j exits with 2 and does not repeat it', async (words, said) => {
    const outcome = await run([...words, '--json', '--debug'], { env: { KEY: 'x' } });
    expect(outcome).toExit(2, said);
    expect(outcome.stderr + outcome.stdout).not.toMatch(/sk.live/);
    expect(written()).toEqual([]);
  });

  test('not from the command line of a terminal, where it is asked for and hidden', async () => {
    const { code, stderr } = await run(['set', 'KEY=sk-live-4711'], { columns: 80, stdin: keys('') });
    expect([code, stripVTControlCharacters(stderr)]).toEqual([
      2,
      expect.stringMatching(/fix gantry secrets set KEY\n/),
    ]);
  });

  test.each([
    ['empty', ['set', 'KEY', '--from-env'], { env: { KEY: '' } }, 'the value of KEY is empty'],
    ['missing', ['set', 'KEY', '--from-env'], {}, 'KEY is not set in the environment'],
    ['no text', ['set', 'A', '--from-file', '-'], { stdin: Buffer.from([0xff, 0xfe]) }, 'stdin is not UTF-8 text'],
  ])('not if it is %s: exits with 2 and writes nothing', async (_, words, setting, said) => {
    expect(await run(words, setting)).toExit(2, said);
    expect(written()).toEqual([]);
  });
});

describe('a change', () => {
  test('keeps all other secrets, whatever their names', async () => {
    emulator.store.secrets.set(emulator.project, JSON.parse('{"constructor": "1", "__proto__": "2", "A": "3"}'));
    await run(['set', 'KEY', '--from-env'], { env: { KEY: value } });
    expect(Object.entries(kept() ?? {})).toEqual([
      ...[
        ['constructor', '1'],
        ['__proto__', '2'],
        ['A', '3'],
        ['KEY', value],
      ],
    ]);
  });

  test('of a value replaces it with --yes', async () => {
    give({ KEY: 'old' });
    expect((await run(['set', 'KEY', '--from-env', '--yes'], { env: { KEY: 'new' } })).stdout).toBe('replaced: KEY\n');
    expect(kept()).toEqual({ KEY: 'new' });
  });

  test('to the same value asks nothing and writes nothing', async () => {
    give({ KEY: value });
    const { code, stdout } = await run(['set', 'KEY', '--from-env'], { env: { KEY: value } });
    expect([code, stdout, written()]).toEqual([0, 'unchanged: KEY\n', []]);
  });

  test.each([
    [['set', 'KEY', '--from-env'], { OTHER: 'theirs' }, 'OTHER'],
    [['set', 'KEY', '--from-env'], { OTHER: 'mine', KEY: 'theirs' }, 'KEY'],
    [['unset', 'OTHER', '--yes'], {}, 'OTHER'],
  ])('%j during a change by another client exits with 7 and keeps the other change', async (words, theirs, name) => {
    give({ OTHER: 'mine' });
    atSecondReading(() => give(theirs as Record<string, string>));
    const outcome = await run([...words, '--json'], { env: { KEY: value } });
    expect(outcome).toExit(7, `secrets were changed by someone else in the meantime: ${name}`);
    expect(outcome.stderr + outcome.stdout).not.toMatch(/theirs|sk-live/);
    expectErrorDocument(outcome);
    expect([written(), kept()]).toEqual([[], theirs]);
  });

  test('is not retried after a lost reply: it could undo a change by others', async () => {
    emulator.fail('setProjectSecrets', 'reset-after');
    expect((await run(['set', 'KEY', '--from-env'], { env: { KEY: value } })).code).toBe(69);
    expect(written()).toHaveLength(1);
  });

  test('shows no value with --debug or in an error', async () => {
    emulator.fail('setProjectSecrets', 400);
    const { code, stdout, stderr } = await run(['set', 'KEY', '--from-env', '--debug'], { env: { KEY: value } });
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain('sk-live');
  });

  test('of an app that does not exist exits with 6 before asking for a value', async () => {
    const { code, stderr } = await run(['set', 'KEY', '--app', 'nobody'], { columns: 80, stdin: keys('x\r') });
    expect(code).toBe(6);
    expect(stderr).not.toContain('Value of');
  });
});

describe('removing', () => {
  test('keeps the others', async () => {
    give({ A: '1', B: '2' });
    const { code, stdout } = await run(['unset', 'A', '--yes']);
    expect([code, stdout, kept()]).toEqual([0, 'removed: A\n', { B: '2' }]);
  });

  test('of a missing secret succeeds with a note', async () => {
    give({ B: '2' });
    const { code, stdout, stderr } = await run(['unset', 'A']);
    expect([code, stdout, written()]).toEqual([0, 'not found: A\n', []]);
    expect(stderr).not.toContain('not found');
  });

  test('is told as it is if another line removes another secret at the same time', async () => {
    give({ A: '1', B: '2', C: '3' });
    const home = { GANTRY_CONFIG_DIR: newFolder() };
    const others: Promise<{ code: number }>[] = [];
    const env: Record<string, string> = await altering(emulator, async (method) => {
      if (method === 'PATCH' && others.length === 0) {
        others.push(run(['unset', 'B', '--yes'], { env: { ...env, ...home } }));
        await others[0];
      }
      return undefined;
    });
    const own = await run(['unset', 'A', '--yes'], { env: { ...env, ...home } });
    expect([own.code, (await others[0])?.code, kept()]).toEqual([0, 0, { C: '3' }]);
  });

  test('fails if the platform keeps secrets that are not sent', async () => {
    give({ A: '1', B: '2' });
    const { secrets } = emulator.store;
    const set = secrets.set.bind(secrets);
    secrets.set = (owner, sent) => set(owner, { ...secrets.get(owner), ...sent });
    expect(await run(['unset', 'A', '--yes'])).toExit(1, 'the platform did not remove A');
  });
});

describe('importing', () => {
  test('reads a .env file', async () => {
    const folder = newFolder({ '.env': `# comment\nexport A=1\nB="two\\nlines"\n` });
    const { code, stdout } = await run(['set', '--from-env-file', '.env'], { cwd: folder });
    expect([code, stdout, kept()]).toEqual([0, 'added: A, B\n', { A: '1', B: 'two\nlines' }]);
  });

  test('reads a JSON object from stdin', async () => {
    await run(['set', '--from-env-file', '-'], { stdin: '{"A": "1"}' });
    expect(kept()).toEqual({ A: '1' });
  });

  test.each([['set'], ['set', 'A', '--from-env-file', '-'], ['set', '--from-env-file', '-', '--from-env']])(
    'refuses %j',
    async (...words) => {
      const { code, stderr } = await run(words, { stdin: 'A=1' });
      expect([code, written()]).toEqual([2, []]);
      expect(stderr).toContain('gantry secrets set');
    },
  );

  test('asks before it replaces', async () => {
    give({ A: 'old', B: 'same' });
    const words = ['set', '--from-env-file', '-', '--json'];
    expect((await run(words, { stdin: 'A=new\nB=same\nC=3\n' })).code).toBe(9);
    const { json } = await run([...words, '--yes'], { stdin: 'A=new\nB=same\nC=3\n' });
    expect(json()).toEqual({
      app: null,
      changed: true,
      added: ['C'],
      replaced: ['A'],
      removed: [],
      unchanged: ['B'],
      stale: [],
      restartable: [],
    });
  });

  test('of an invalid file names every line and no content', async () => {
    const folder = newFolder({ '.env': `A=1\nsk-live 4711\nsk-live/=1\nC="sk-live\n` });
    const outcome = await run(['set', '--from-env-file', '.env', '--json', '--debug'], { cwd: folder });
    expect(outcome.code).toBe(10);
    expect(outcome.stderr).toContain('.env:2: invalid line: expected NAME=value');
    expect(outcome.stderr).toContain('.env:3: invalid name of a secret');
    expect(outcome.stderr).toContain('.env:4: missing closing quote');
    expect(outcome.stderr + outcome.stdout).not.toContain('sk-live');
    expect(written()).toEqual([]);
  });
});

test('the secrets of an app are deleted with it', async () => {
  await deployWeb();
  await run(['set', 'KEY', '--app', 'web', '--from-env'], { env: { KEY: value } });
  await gantry(['apps', 'delete', 'web', '--confirm', 'web'], { emulator });
  expect(emulator.store.secrets.size).toBe(0);
});

/** Lets somebody else do something between our first and our second look. */
function atSecondReading(act: () => void): void {
  const { secrets } = emulator.store;
  const get = secrets.get.bind(secrets);
  let readings = 0;
  secrets.get = (owner) => {
    readings += 1;
    if (readings === 2) act();
    return get(owner);
  };
}

async function deployWeb(): Promise<void> {
  await gantry(['deploy'], { emulator, cwd: newFolder(smallApp()) });
  emulator.calls.length = 0;
}

test('unset of a misspelled name, or of a misspelled app, is an error that says what is meant', async () => {
  give({ OPENAI_API_KEY: '1', KEY_2: '2' });
  const misspelled = await run(['unset', 'OPENAI_API_KYE', 'KEY_2', '--yes']);
  expect(misspelled).toExit(
    6,
    'secret OPENAI_API_KYE not found: did you mean OPENAI_API_KEY?',
    'fix gantry secrets list\n',
  );
  expect(kept()).toEqual({ OPENAI_API_KEY: '1', KEY_2: '2' });
  expect(await run(['unset', 'KEY_1', 'OTHER_NAME', '--yes'])).toMatchObject({
    code: 0,
    stdout: 'not found: KEY_1, OTHER_NAME\n',
  });
  await deployWeb();
  for (const words of [['set', 'KEY', '--from-env'], ['unset', 'KEY'], ['list']])
    expect(await run([...words, '--app', 'wbe', '--yes'], { env: { KEY: 'x' } })).toExit(
      6,
      'app wbe not found in p-12345678: did you mean web?',
    );
});
