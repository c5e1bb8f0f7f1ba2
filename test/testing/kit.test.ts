import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CallFailed, startPlatform, type TestApp, type TestPlatform } from '../../src/testing/index.ts';
import { python } from '../emulator/support/running.ts';
import { newFolder } from '../support/files.ts';

const main = `def run(name: str = "world"):
    print(f"saying hello to {name}")
    return {"message": f"Hello, {name}!"}

def fail():
    raise ValueError("this function fails")
`;

describe.skipIf(!python)('the kit for tests (needs python3)', () => {
  const config = '[cerebrium.deployment]\nname = "greeter"\n[cerebrium.dependencies.pip]\nhttpx = "latest"\n';
  const folder = newFolder({ 'cerebrium.toml': config, 'main.py': main });
  let platform: TestPlatform;
  let app: TestApp;

  beforeAll(async () => {
    platform = await startPlatform();
    app = await platform.deploy(folder);
    await platform.snapshot();
  });
  beforeEach(() => platform.restore());
  afterAll(() => platform.stop());

  test('tells what the app has on the platform only', () => {
    expect(app.differences).toEqual(['The emulator does not install pip packages; with --install it does']);
    expect(platform.app('greeter').differences).toEqual([]);
  });

  test('repeats a refusal on the clock of the platform', async () => {
    const before = await platform.clock.now();
    await platform.fail('invoke=503:2');
    await platform.clock.advance('1h30m');
    expect(await app.run({ name: 'Ada' })).toEqual({ message: 'Hello, Ada!' });
    expect((await platform.clock.now()).getTime() - before.getTime()).toBeGreaterThanOrEqual(5_402_000);
    await expect(platform.clock.advance('soon')).rejects.toThrow('expected a duration');
  });

  test.each(['Ada', 'Bob'])('each test has a state of its own', async (name) => {
    expect([await app.runs(), await app.logs()]).toEqual([[], []]);
    await app.run({ name });
    expect([await app.coldStarts(), await app.logs()]).toEqual([1, [`saying hello to ${name}`]]);
    await platform.clock.advance('1h');
    await app.run({ name });
    expect(await app.coldStarts()).toBe(2);
  });

  test('failures of calls and of gantry say why', async () => {
    await expect(app.call('fail')).rejects.toThrow(/greeter\/fail was answered with 500: .*this function fails/s);
    await expect(app.call('none')).rejects.toBeInstanceOf(CallFailed);
    const broken = newFolder({ 'cerebrium.toml': '[cerebrium.deployment]\nname = 3\n', 'main.py': '' });
    await expect(platform.deploy(broken)).rejects.toMatchObject({
      exitCode: 10,
      message: expect.stringContaining('3'),
    });
    await expect(platform.deploy('gone')).rejects.toThrow(/^folder not found: .*gone$/);
    await expect(startPlatform({ flags: ['--nothing'] })).rejects.toThrow(/exited with 2\n\nerror: unknown flag/);
    await expect(startPlatform({ flag: ['--install'] } as object)).rejects.toThrow(/has no option flag/);
    expect((await app.request('run', { body: '{"wrong": 1}' })).status).toBe(422);
  });

  test('keeps deliveries of webhooks', async () => {
    const run = await app.submit('run', { name: 'Ada' }, { webhook: await platform.webhooks.url() });
    const [delivery] = await platform.webhooks.wait();
    expect(JSON.parse(delivery?.body ?? '')).toMatchObject({ run_id: run, result: { message: 'Hello, Ada!' } });
    await expect(platform.webhooks.wait(2, 0)).rejects.toThrow('1 of 2 webhooks');
  });

  test('uses no settings of the user, and its variables lead to it', async () => {
    expect(JSON.parse(await platform.gantry(['config', 'list', '--json=name,value']))).toContainEqual({
      name: 'api-url',
      value: platform.url,
    });
  });
});

test('a platform that was stopped is gone, and one whose program is missing never was', async () => {
  await using platform = await startPlatform();
  await platform.stop();
  await expect(fetch(platform.url)).rejects.toThrow();
  await expect(startPlatform({ program: '/nonexistent/gantry' })).rejects.toThrow('spawn /nonexistent');
});
