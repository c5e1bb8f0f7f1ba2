import { beforeEach, expect, test } from 'vitest';
import { altering, emulatorForEach, gantry, newFolder, type Setting, smallApp } from '../support/index.ts';

let status: number;
/** What the app answers instead. */
let instead: { body: unknown; type?: string; status?: number } | undefined;
let front: Record<string, string>;
let env: Record<string, string>;
/** The app answers once this is done. */
let held: Promise<unknown> | undefined;

const app = { ...smallApp(), 'main.py': 'def run():\n    return 1\n\ndef greet(name, loud=False):\n    return name\n' };
const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  status = 200;
  instead = undefined;
  held = undefined;
  front = await altering(emulator, async (_, path) => {
    if (!path.endsWith('/web/run')) return undefined;
    await held;
    return instead ?? { status, body: { run_id: 'r-1', result: 'Hello, Ada!' } };
  });
});

async function deploy(...smoke: string[]) {
  return await deployWith({}, ...smoke);
}

async function deployWith({ flags: more = [], ...setting }: Setting & { flags?: string[] }, ...smoke: string[]) {
  env = { ...front, GANTRY_INFERENCE_URL: front.GANTRY_API_URL ?? '', GANTRY_CONFIG_DIR: newFolder() };
  const flags = [...smoke.flatMap((each) => ['--smoke', each]), ...more];
  return await gantry(['deploy', '--json', ...flags], { emulator, cwd: newFolder(app), env, ...setting });
}

test('an answer that takes long is waited for aloud', async () => {
  let answer = () => {};
  held = new Promise<void>((done) => {
    answer = done;
  });
  const seen: Setting['seen'] = (_, stderr) => /^Calling web$/m.test(stderr) && answer();
  expect(await deployWith({ seen }, 'run')).toMatchObject({ code: 0 });
});

test('an answer is waited for until --timeout is over', async () => {
  let answer = () => {};
  held = new Promise<void>((done) => {
    answer = done;
  });
  setTimeout(() => answer(), 20_000).unref();
  const late = await deployWith({ flags: ['--timeout', '4s'] }, 'run');
  answer();
  expect(late).toExit(8, /web serves build \S+, .* is not known: run: web\/run did not respond within 4\.0 s\n/);
  expect(late.json()).toMatchObject({ error: { details: { smokeCalls: 1 } } });
});

test('the first call that fails decides', async () => {
  status = 500;
  const { code, json } = await deploy('run', 'run:never called');
  expect(code).toBe(12);
  expect(json()).toMatchObject({ error: { details: { verdict: 'sick', smokeCalls: 1 } } });
});

test('a response without the text is explained once, with what to correct', async () => {
  instead = { body: { run_id: 'r-1', result: 'Bye' } };
  const sick = await deploy('run={"name":"Ada"}:Hello');
  expect(sick).toExit(12, /web is not healthy: run: .* the expected text; it answered Bye; build \S+ serves\n/);
  // What the app said is on no record.
  expect(String((sick.json() as { error: { details: { reason: string } } }).error.details.reason)).not.toContain('Bye');
  expect((await gantry(['explain', 'web', '--json=title,fix'], { emulator, env })).json()).toEqual({
    title: 'the response of run does not have the text that --smoke expects',
    fix: 'correct the app, or the text after the colon of --smoke',
  });
});

test('the end of the log that is shown and explained has no line of an earlier build', async () => {
  status = 500;
  const lines = [
    { logLine: 'ValueError: of an earlier build', timestamp: new Date(Date.now() - 60_000).toISOString() },
    { logLine: 'KeyError: of this build', timestamp: new Date(Date.now() + 60_000).toISOString() },
  ];
  front = await altering(emulator, (_, path) => {
    if (path.endsWith('/web/run')) return { status, body: { run_id: 'r-1', detail: 'failed' } };
    if (!path.endsWith('-web/logs')) return undefined;
    const after = emulator.calls.findLast((call) => call.path === path)?.query.afterDate ?? '';
    return { status: 200, body: { logs: lines.filter(({ timestamp }) => timestamp > after) } };
  });
  expect(await deploy('run')).toExit(12, 'KeyError: of this build', expect.not.stringContaining('of an earlier build'));

  const explained = await gantry(['explain', 'web', '--json'], { emulator, env });
  expect(explained.stdout).toContain('KeyError: of this build');
  expect(explained.stdout).not.toContain('of an earlier build');
});

test.each([
  ['runn', /: main\.py has no function runn\n\s+why its functions: .*\brun\b.*\n\s+fix --smoke run\n/],
  ['/health', /: main\.py has no function health\n\s+why its functions: .*\n\s+fix --smoke run\n/],
  ['greet', /: greet needs name\n\s+fix --smoke 'greet=\{"name":"text"\}'\n/],
  ['greet={"loud":true}:HI', /: greet needs name\n\s+fix --smoke 'greet=\{"loud":true,"name":"text"\}:HI'\n/],
])('a smoke test that the app cannot answer is refused before anything is sent: %s', async (typed, said) => {
  const { code, stderr } = await deploy(typed);
  expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
  expect([...emulator.store.builds.values()]).toEqual([]);
});
