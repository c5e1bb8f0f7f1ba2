import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { gantry, newFolder } from '../support/index.ts';

const now = '2026-02-03T04:05:06Z';

let folder: string;
let env: Record<string, string>;

beforeEach(() => {
  folder = newFolder();
  env = { GANTRY_CONFIG_DIR: join(folder, '.config') };
});

/** Runs an emulator while `work` talks to it. */
async function withEmulator(flags: string[], work: (url: string, ask: Ask) => Promise<void> = async () => {}) {
  const stop = new AbortController();
  const failures: unknown[] = [];
  let isSeen = false;
  const outcome = await gantry(['emulator', 'start', '--port', '0', '--json', ...flags], {
    env,
    cwd: folder,
    stop: stop.signal,
    async seen(text) {
      if (isSeen || !text.includes('\n')) return;
      isSeen = true;
      const { url, token, project } = JSON.parse(text.split('\n')[0] ?? '');
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const ask: Ask = async (path, body) => {
        const sent = body && { method: 'POST', body: JSON.stringify(body) };
        const reply = await fetch(url + path.replaceAll('{project}', project), { headers, ...sent });
        return { status: reply.status, text: (await reply.text()).replaceAll(url, 'http://emulator') };
      };
      await work(url, ask).catch((error) => failures.push(error));
      stop.abort();
    },
  });
  if (failures.length > 0) throw failures[0];
  return outcome;
}

type Ask = (path: string, body?: object) => Promise<{ status: number; text: string }>;

const documents = [
  ...['apps', 'apps/{project}-web', 'apps/{project}-web/builds', 'apps/{project}-web/runs?limit=50&aggregate=false'],
  ...['apps/{project}-transcriber/runs', 'apps/{project}-transcriber/containers', 'apps/{project}-web/runs/charts'],
  ...['apps/{project}-web/metrics/startup-time', 'apps/{project}-web/cost', 'invoices', 'api-keys'],
  ...['users', 'service-accounts', 'secrets', 'volumes'],
].map((path) => `/v2/projects/{project}/${path}`);

/** Keys are signed with a secret of each start: a signature that others could compute would be a valid key. */
const signatures = /(?<=eyJ[\w-]+\.[\w-]+\.)[\w-]+/g;

describe('a fixed seed and clock', () => {
  const read = async (flags: string[], paths = documents) => {
    const replies: string[] = [];
    await withEmulator(flags, async (_, ask) => {
      for (const path of paths) {
        const { status, text } = await ask(path);
        replies.push(`${path} ${status} ${text.replace(signatures, '')}`);
      }
    });
    return replies;
  };

  test('make the documents of each start equal', async () => {
    const [first, second, otherSeed] = [
      await read(['--seed', '7', '--now', now]),
      await read(['--seed', '7', '--now', now]),
      await read(['--seed', '8', '--now', now], documents.slice(3, 4)),
    ];
    expect(second).toEqual(first);
    expect(otherSeed).not.toEqual(first.slice(3, 4));
    expect(first.filter((reply) => !reply.includes(' 200 '))).toEqual([]);
    expect(first.join()).toContain('2026-02-0');
  });

  test('leave the token valid, deploys and copies working', async () => {
    writeFileSync(join(folder, 'cerebrium.toml'), '[cerebrium.deployment]\nname = "own"\n');
    writeFileSync(join(folder, 'main.py'), 'def run():\n    return 1\n');
    for (const time of ['2020-01-01T00:00:00Z', '2031-01-01T00:00:00Z']) {
      await withEmulator(['--now', time, '--no-seed'], async () => {
        const environment = (await gantry(['emulator', 'env', '--json'], { env })).json() as { environment: object };
        const own = { cwd: folder, env: { ...env, ...environment.environment } };
        expect((await gantry(['deploy', '--yes'], own)).code).toBe(0);
        const copied = await gantry(['cp', 'main.py', ':/x/main.py'], own);
        expect([copied.code, copied.stderr]).toEqual([0, expect.not.stringContaining('warning')]);
        expect((await gantry(['cat', ':/x/main.py'], own)).stdout).toContain('return 1');
        const apps = (await gantry(['apps', 'list', '--json'], own)).json() as { createdAt: string }[];
        expect(Date.parse(apps[0]?.createdAt ?? '')).toBe(Date.parse(time));
      });
    }
  });

  test.each([
    ['--pace', 'no build would end'],
    ['--late', 'nothing new would show'],
  ])('are refused together with %s', async (flag, why) => {
    const { code, stderr } = await gantry(['emulator', 'start', '--port', '0', '--now', now, flag, '10'], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`--now stops the clock, and ${why}`)]);
  });
});

test.each([
  [[], true],
  [['--late', '0'], false],
  [['--now', now], false],
])('started with %j, whether it shows late what was just created: %s', async (flags, isLate) => {
  await withEmulator(flags, async (_, ask) => {
    const began = performance.now();
    expect((await ask('/v2/projects/{project}/apps', { name: 'new' })).status).toBe(200);
    const look = async () => (await ask('/v2/projects/{project}/apps/{project}-new')).status;
    if (isLate) {
      await expect.poll(look, { interval: 10 }).toBe(200);
      expect(performance.now() - began).toBeGreaterThan(290);
    } else expect(await look()).toBe(200);
  });
});

test('each --fault applies, in turn', async () => {
  const flags = ['listApps=503,500', 'listProjects=429*', 'listApps=404'].flatMap((fault) => ['--fault', fault]);
  await withEmulator(flags, async (_, ask) => {
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++) statuses.push((await ask('/v2/projects/{project}/apps')).status);
    expect(statuses).toEqual([503, 500, 404, 200]);
    expect((await ask('/v2/projects')).status).toBe(429);
  });
});

test('emulator start tells when it is ready, and with --end-with-stdin ends with the process that started it', async () => {
  const stdin = new PassThrough();
  const { code, stdout } = await gantry(
    ['emulator', 'start', '--port', '0', '--no-seed', '--end-with-stdin', '--json'],
    {
      env,
      cwd: folder,
      stdin,
      seen: (text) => text.includes('"environment"') && stdin.end(),
    },
  );
  const [ready, ended] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([code, ended]).toMatchObject([0, { type: 'result' }]);
  expect(ready).toMatchObject({ pid: process.pid, environment: expect.any(Object) });
});
