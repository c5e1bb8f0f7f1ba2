import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { speaking } from '../emulator/support/platform.ts';
import { python } from '../emulator/support/running.ts';
import { emulatorForAll, gantry, newFolder } from '../support/index.ts';

/** Of a reply. */
interface Container {
  containerRestartCount: number;
}

const home = newFolder();

const emulator = emulatorForAll({ restartPauseMs: 10 });

beforeAll(() => {
  emulator.store.secrets.set(emulator.project, { CRASH_AFTER: '0.05' });
});

const good = 'def run():\n    return 1\n';

/** Ends after a time that stands for the 20 seconds of a real one. */
const crashesLater = `import os, threading
def end():
    print("the connection to the database was lost", flush=True)
    os._exit(3)
timer = threading.Timer(float(os.environ["CRASH_AFTER"]), end)
timer.daemon = True
timer.start()
${good}`;

/** Keeps what it allocates until it is killed. */
const grows = `import threading, time
kept = []
def grow():
    while len(kept) < 40:
        kept.append(bytearray(16 * 1024 * 1024))
        time.sleep(0.01)
    time.sleep(3600)
threading.Thread(target=grow, daemon=True).start()
${good}`;

const crashesAfterCall = `import os, threading
def run():
    timer = threading.Timer(0.05, lambda: os._exit(3))
    timer.start()
    return 1
`;

interface Attempt {
  name: string;
  main: string;
  flags?: string[];
  /** More of the config file. */
  more?: string;
  /** What the watch waits for, once the new build is live. */
  until?: () => Promise<unknown>;
}

const kept = '[cerebrium.scaling]\nmin_replicas = 1\n';
const watching = ['--watch', '2m'];

/** Deploys and watches. The command's clock leaps, so its first look at the live build waits until something happened. */
async function deploy({ name, main, flags = watching, more = kept, until }: Attempt) {
  const toml = `[cerebrium.deployment]\nname = "${name}"\n${more}`;
  const app = newFolder({ 'cerebrium.toml': toml, 'main.py': main });
  const before = await liveBuild(name);
  let happened: Promise<unknown> | undefined;
  const meanwhile = async () => {
    await setTimeout(10);
    if (!happened && until && (await liveBuild(name)) !== before) happened ??= until();
    await happened;
  };
  const env = { GANTRY_CONFIG_DIR: home };
  const outcome = await gantry(['deploy', '--json', ...flags], { emulator, cwd: app, env, meanwhile });
  return { ...outcome, json: () => outcome.json() as { error: Failure; health: object } };
}

interface Failure {
  message: string;
  details: { container: string; explanation?: { cause: string; location: { line: number } | null } };
}

const ask = (path: string) => speaking(emulator).ask('GET', `/apps/${emulator.project}-${path}`);

async function liveBuild(name: string): Promise<string | null> {
  return (await ask(name)).json.latestReadyBuildId || null;
}

function hasRestarted(name: string, times: number) {
  const restarts = async () => {
    const containers: Container[] = (await ask(`${name}/containers`)).json;
    return Math.max(0, ...containers.map(({ containerRestartCount }) => containerRestartCount));
  };
  return expect.poll(restarts).toBeGreaterThanOrEqual(times);
}

const call = (name: string) =>
  fetch(`${emulator.url}/v4/${emulator.project}/${name}/run`, { method: 'POST', body: '{}' });

describe.skipIf(!python)('a build that crashes after it was deployed (needs python3)', () => {
  test('20 seconds after its start is in a crash loop, and the end of its log is shown', async () => {
    const name = 'later';
    const { code, stderr, json } = await deploy({ name, main: crashesLater, until: () => hasRestarted(name, 2) });
    expect(code, stderr).toBe(12);
    const { message, details } = json().error;
    expect(message).toMatch(/^later is not healthy: replica \S+ restarted \d+ times; build \S+ serves$/);
    expect(stderr).toContain('the connection to the database was lost');
    expect(stderr).toMatch(/^ {2}fix gantry logs later --container \S+-later-\S+$/m);
    expect(details.container).toMatch(/-later-/);
    expect(stderr).not.toContain('cause:');
  });

  test('because it uses more memory than it may names the cause and the setting', async () => {
    const name = 'grows';
    const more = `${kept}[cerebrium.hardware]\ncpu = 1.0\nmemory = 0.1\ncompute = "CPU"\n`;
    const { code, stderr, json } = await deploy({ name, main: grows, more, until: () => hasRestarted(name, 2) });
    expect(code, stderr).toBe(12);
    expect(stderr).toMatch(/^cause: the app ran out of memory; raise memory/m);
    expect(json().error.details.explanation).toMatchObject({ cause: 'out-of-memory', location: { line: 7 } });
  });

  test('after its first call only is healthy, and that is said', async () => {
    const name = 'once';
    const until = async () => {
      await call(name);
      await hasRestarted(name, 1);
      await call(name);
    };
    const main = `import os\nif os.path.exists("crashed"):\n    ${good.replaceAll('\n', '\n    ')}\nelse:\n    open("crashed", "w").close()\n    ${crashesAfterCall.replaceAll('\n', '\n    ')}\n`;
    const flags = ['--watch', '10s'];
    const { code, stderr, json } = await deploy({ name, main, flags, until });
    expect(code, stderr).toBe(0);
    expect(json().health).toMatchObject({ restarts: 1, runs: 2, failedRuns: 0 });
    expect(stderr).toMatch(/once is healthy after .*, 1 restart\n/);
  });

  test('gives way to the build before with --or-rollback', async () => {
    const name = 'shop';
    expect((await deploy({ name, main: good, flags: [] })).code).toBe(0);
    const flags = [...watching, '--or-rollback'];
    const until = () => hasRestarted(name, 2);
    const { code, stderr } = await deploy({ name, main: crashesLater, flags, until });
    expect(code, stderr).toBe(12);
    expect(stderr).toMatch(/restarted \d+ times; rolled back to build \S+: build \S+ serves/);
    expect(await (await call(name)).json()).toMatchObject({ result: 1 });
  });
});

test.skipIf(!python)('an app that never gets ready fails its build (needs python3)', async () => {
  const more = 'deployment_initialization_timeout = 1\n';
  const { code, stderr } = await deploy({ name: 'never', main: `import time\ntime.sleep(60)\n${good}`, more });
  expect([code, stderr]).toEqual([12, expect.stringContaining('init_timeout')]);
});
