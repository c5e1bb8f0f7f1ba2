import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newOwnerName } from '../../src/kernel/disk/index.ts';
import { developing } from '../support/developing.ts';
import { baseImage, engine, engineName, leftOf, noEngine, ownedOf, useEngine } from '../support/engine.ts';
import { isWhole } from '../support/extent.ts';
import { newFolder, platform } from './support/platform.ts';
import { zip } from './support/zip.ts';

const settings = { name: 'image', runtime: 'custom', dockerfilePath: './Dockerfile', port: 8080 };

/** Answers with what it knows of its container. */
const server = `import http.server, json, os, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/slow": time.sleep(1)
        if self.path == "/grow": bytearray(10 ** 9)
        if self.path == "/write": open("/persistent-storage/written", "w").write("by " + str(os.getuid()))
        files = {name: open("/persistent-storage/" + name).read() for name in os.listdir("/persistent-storage")}
        memory = ["/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory.max"]
        limits = [open(path).read().strip() for path in memory if os.path.exists(path)]
        body = json.dumps({"path": self.path, "env": dict(os.environ), "files": files, "limits": limits, "pid": os.getpid()})
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body.encode())
print("listening", flush=True)
http.server.ThreadingHTTPServer(("", 8080), Handler).serve_forever()
`;

const files = {
  Dockerfile: `FROM ${baseImage}\nRUN echo made > /made\nWORKDIR /app\nCOPY . .\nUSER 1000\nCMD ["python3", "src/app.py"]\n`,
  'src/app.py': server,
};

/** Each look starts the engine, twice or more. */
const interval = 400;

/** Fewer steps, for tests of something else. */
const light = { Dockerfile: `FROM ${baseImage}\nCOPY app.py /\nCMD ["python3", "/app.py"]\n`, 'app.py': server };

async function containers() {
  useEngine();
  const speaking = await platform({ now: Date.now, real: true });
  const { emulator } = speaking;
  const call = async (path = '', app = 'image') => {
    const reply = await fetch(`${emulator.url}/v4/${emulator.project}/${app}/${path}`);
    const text = await reply.text();
    return { status: reply.status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
  };
  return { ...speaking, call };
}

/** What `npm test` leaves to `.ci/run`: an engine takes a second for each. */
const later = test.runIf(isWhole);

describe.skipIf(noEngine)(`an app with a Dockerfile (${noEngine ?? `on ${engineName}`})`, () => {
  test('is built and run with its port, variables, volume and limits, as any user of the image', async () => {
    const { emulator, deploy, ask, call, logOf } = await containers();
    emulator.volume().write('/model.bin', 'weights');
    emulator.store.secrets.set(emulator.project, { API_KEY: 'secret value' });
    const { path, build, id } = await deploy({ ...settings, memory: 1 }, files);
    const { status, json } = await call('write?x=1');
    expect([status, json.path, json.files, json.limits]).toEqual([
      200,
      '/write?x=1',
      { 'model.bin': 'weights' },
      ['1073741824'],
    ]);
    expect(json.env).toMatchObject({
      API_KEY: 'secret value',
      PORT: '8080',
      APP_NAME: 'image',
      BUILD_ID: id,
      HF_HOME: '/persistent-storage/.cache/huggingface',
    });
    expect((await call('write')).json.files.written).toBe('by 1000');
    expect(emulator.volume().read('/written')?.toString()).toBe('by 1000');
    expect(await logOf(build)).toEqual(expect.arrayContaining([expect.stringContaining('RUN echo made')]));
    const printed = JSON.stringify((await ask('GET', `${path}/logs?direction=forward`)).json.logs);
    expect([printed.includes('RUN echo made'), printed.includes('listening')]).toEqual([false, true]);
    await ask('DELETE', path);
    await emulator.close();
    expect(leftOf()).toEqual([]);
  });

  later('keeps its image as long as its build: a cold start runs no step again', async () => {
    const { deploy, call, ask } = await containers();
    const { path } = await deploy({ ...settings, cooldownPeriodSeconds: 0, minReplicaCount: 0 }, files);
    const images = ownedOf(undefined, 'images');
    await untilOther(call);
    expect([images.length, ownedOf(undefined, 'images')]).toEqual([1, images]);
    await ask('DELETE', path);
    expect(leftOf()).toEqual([]);
  });

  later('of the same name in two emulators is two: one ends, and the other goes on', async () => {
    const [one, other] = [await containers(), await containers()];
    for (const { emulator } of [one, other]) {
      let count = 0;
      emulator.store.newId = () => `00000000-0000-4000-8000-${String(count++).padStart(12, '0')}`;
    }
    await Promise.all([one.deploy(settings, light), other.deploy(settings, light)]);
    expect([(await one.call()).status, (await other.call()).status]).toEqual([200, 200]);
    await one.emulator.close();
    expect((await other.call()).status).toBe(200);
    await other.emulator.close();
    expect(leftOf()).toEqual([]);
  });

  test('has as many replicas as its calls need, each with a port of its own', async () => {
    const { deploy, call } = await containers();
    await deploy({ ...settings, replicaConcurrency: 1, maxReplicaCount: 2 }, light);
    const replies = await Promise.all([call('slow'), call('slow'), call('slow')]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(replies.map(({ json }) => json.env.HOSTNAME)).size).toBe(2);
  });

  later('that ignores SIGTERM ends when it has no calls, and nothing is left of the version before', async () => {
    const { emulator, deploy, call } = await containers();
    const stubborn = `import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n${server}`;
    await deploy(settings, { ...light, 'app.py': stubborn });
    await call();
    await deploy(settings, light);
    await call();
    await expect.poll(() => ownedOf(undefined, 'ps', '-a').length, { interval }).toBe(1);
    await emulator.close();
    expect(leftOf()).toEqual([]);
  });

  test('that uses more memory than it may says so', async () => {
    const { deploy, call, ask } = await containers();
    const { path } = await deploy({ ...settings, memory: 0.1 }, light);
    expect((await call('grow')).status).toBe(502);
    const { json } = await ask('GET', `${path}/logs?direction=forward`);
    expect(JSON.stringify(json.logs)).toMatch(
      /exit code 137, as one that uses more than 0.1 GB of memory \(hardware\.memory\)/,
    );
  });

  test('is not live if it fails to start: the version before stays', async () => {
    const { deploy, call, ask } = await containers();
    await deploy(settings, light);
    for (const [what, change] of Object.entries(dead)) {
      const { build } = await deploy(settings, { ...light, ...change });
      expect([what, (await ask('GET', build)).json.status]).toEqual([what, expect.stringMatching(/^init_/)]);
      expect((await call()).status).toBe(200);
    }
  });

  later('has one container and one image in dev, however often it is saved, and none after it', async () => {
    useEngine();
    const config =
      '[cerebrium.deployment]\nname = "web"\ndisable_auth = true\n[cerebrium.runtime.custom]\nport = 8080\n';
    const app = { ...light, 'cerebrium.toml': `${config}dockerfile_path = "./Dockerfile"\n` };
    const { code } = await developing(app, [], async ({ until, write, call }) => {
      await until(/(web is ready in)/);
      const counts = () => [ownedOf(undefined, 'ps', '-a').length, ownedOf(undefined, 'images').length];
      for (let save = 1; save <= 2; save++) {
        write('app.py', `${server}# ${save}\n`);
        await until(new RegExp(`(?:(reloaded) in [\\s\\S]*){${save}}`));
        await expect.poll(counts, { interval }).toEqual([1, 1]);
      }
      expect((await call({}, '')).status).toBe(501);
    });
    expect([code, leftOf()]).toEqual([0, []]);
  });

  later('is removed when its emulator was killed, by the next one', async () => {
    useEngine();
    const ended = String(spawnSync('true').pid);
    const owner = newOwnerName().replace(/^\d+/, ended);
    const folder = newFolder({
      Dockerfile: `FROM ${baseImage} AS one\nRUN echo 1 > /one\nFROM ${baseImage}\nCOPY --from=one /one /two\n`,
    });
    const [label, image] = [`--label=gantry-emulator=${owner}`, 'gantry-emulator:killed'];
    engine('build', label, '--tag', image, folder);
    engine('run', '--detach', '--stop-timeout=0', label, image, 'sleep', '100');
    // Of the stages of an image, only podman has what they left in its list.
    expect(leftOf(ended).length).toBeGreaterThan(engineName === 'podman' ? 3 : 1);
    const { deploy } = await containers();
    await deploy(settings, light);
    expect(leftOf(ended)).toEqual([]);
  });

  later('whose build is stopped leaves nothing', async () => {
    const { emulator, ask, put } = await containers();
    const base = `localhost/stopped-${process.pid}`;
    engine('tag', baseImage, base);
    onTestFinished(() => void engine('rmi', base));
    const { json } = await ask('POST', '/apps', settings);
    await put(json.uploadUrl, zip({ Dockerfile: `FROM ${base}\nRUN echo a > /a\nRUN sleep 60\n` }));
    const all = engineName === 'podman' ? ['--external'] : [];
    const building = () => leftOf().length + Number(engine('ps', '-a', '--no-trunc', ...all).includes('sleep 60'));
    await expect.poll(building, { interval }).toBeGreaterThan(0);
    await emulator.close();
    // docker ends a step in its own time.
    await expect.poll(building, { interval }).toBe(0);
    expect(engine('ps', '-a', ...all)).not.toContain(base.replace(/.*\//, ''));
  });
});

/** Opens its port, and ends before it answers: gunicorn does so whose workers cannot import the app. */
const dying = `import socket, time
server = socket.create_server(("", 8080))
time.sleep(1)
raise SystemExit("Worker failed to boot.")
`;

const dead = {
  'it opens its port and ends': { 'app.py': dying },
  'its program ends at once': { 'app.py': 'print("done")\n' },
  'its command does not exist': { Dockerfile: `FROM ${baseImage}\nCMD ["nosuchprogram"]\n` },
};

/** Where the next container runs that answers. */
async function untilOther(call: () => Promise<{ json: { env?: { HOSTNAME: string } } }>): Promise<void> {
  const hosts = new Set<string>();
  const answered = async () => {
    const { env } = (await call()).json;
    // A call that meets the end of a replica has no answer of the app.
    if (env) hosts.add(env.HOSTNAME);
    return hosts.size;
  };
  await expect.poll(answered, { interval: 1_000 }).toBeGreaterThan(1);
}

test('without a container engine an app with a Dockerfile is not started, and says why', async () => {
  const bin = newFolder();
  // A docker whose service is not running.
  for (const name of ['docker', 'podman'])
    writeFileSync(join(bin, name), '#!/bin/sh\necho {}\nexit 1\n', { mode: 0o755 });
  const { PATH } = process.env;
  process.env.PATH = [bin, PATH].join(delimiter);
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
  const { emulator, deploy, ask, logOf } = await platform({ now: Date.now, real: true });
  const { build, path } = await deploy({ ...settings, minReplicaCount: 1 }, light);
  expect((await logOf(build)).at(-1)).toMatch(/^The app was not started: .*docker nor podman/);
  expect((await ask('GET', build)).json).toMatchObject({
    status: 'success',
    notStarted: { reason: expect.stringContaining('docker nor podman'), calls: 'refused' },
  });
  expect((await ask('GET', path)).json.status).toBe('not_started');
  expect((await ask('GET', `${path}/containers`)).json).toEqual([]);
  await expect(fetch(`${emulator.url}/v4/${emulator.project}/image/`)).toAnswer(501, 'docker nor podman');
});
