import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newOwnerName } from '../../src/disk/index.ts';
import { findContainerEngine } from '../../src/emulator/running/processes/container-engine.ts';
import { platform, temporaryFolder } from './support/platform.ts';
import { python } from './support/running.ts';

/**
 * Stands in for docker: writes its arguments to a file, and instead of a container runs a server that answers with its
 * environment and the files of its first volume, and ends with SIGTERM after writing to it.
 */
const engine = `#!/usr/bin/env python3
import json, os, signal, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

arguments = sys.argv[1:]
with open(os.environ["ENGINE_LOG"], "a") as log:
    log.write(json.dumps(arguments) + "\\n")
if arguments[0] == "version" and os.path.exists(os.environ["ENGINE_LOG"] + ".down"):
    sys.exit("Cannot connect to the Docker daemon")
if arguments[0] in ["ps", "inspect"]:
    # Their templates differ: docker's has .Label, podman's .Labels.
    if arguments[0] == "ps" and "--quiet" not in arguments:
        sys.exit("template: ps: can't evaluate field")
    for line in open(os.environ["ENGINE_LOG"] + ".ps"):
        words = line.split()
        if arguments[0] == "ps" or words[0] in arguments:
            print(words[0] if arguments[0] == "ps" else line.strip())
if arguments[0] == "build":
    print("STEP 1/2: FROM scratch", flush=True)
    if "BROKEN" in open(arguments[arguments.index("--file") + 1]).read():
        sys.exit("no such instruction: BROKEN")
if arguments[0] != "run":
    sys.exit()

values = lambda flag: [arguments[at + 1] for at, word in enumerate(arguments) if word == flag]
volume = values("--volume")[0].split(":")[0]
variables = {name.split("=")[0]: name.split("=")[1] if "=" in name else os.environ[name] for name in values("--env")}

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"path": self.path, "variables": variables, "files": sorted(os.listdir(volume))}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", int(values("--publish")[0].split(":")[1])), Handler)
signal.signal(signal.SIGTERM, lambda *_: Thread(target=server.shutdown).start())
print("listening", flush=True)
server.serve_forever()
open(os.path.join(volume, "stopped"), "w").close()
`;

/** A PATH on which docker is the stand-in, and the calls that it got. */
function standIn() {
  const folder = temporaryFolder();
  const log = join(folder, 'calls.jsonl');
  mkdirSync(join(folder, 'bin'));
  // The machine may have a podman of its own.
  for (const name of ['docker', 'podman']) writeFileSync(join(folder, 'bin', name), engine, { mode: 0o755 });
  writeFileSync(log, '');
  writeFileSync(`${log}.ps`, '');
  const { PATH } = process.env;
  process.env.PATH = [join(folder, 'bin'), PATH].join(delimiter);
  process.env.ENGINE_LOG = log;
  onTestFinished(() => {
    process.env.PATH = PATH;
    delete process.env.ENGINE_LOG;
  });
  const calls = (): string[][] =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const leave = (lines: string[]) => writeFileSync(`${log}.ps`, lines.join('\n'));
  return { calls, leave, stop: () => writeFileSync(`${log}.down`, '') };
}

const settings = { name: 'image', runtime: 'custom', dockerfilePath: './Dockerfile', port: 8080 };
const files = { Dockerfile: 'FROM scratch\nCMD ["serve"]\n' };

describe.skipIf(!python)('an app with a Dockerfile (needs python3)', () => {
  test('is built and run by docker, with its port, variables and volume, and removed in the end', async () => {
    const { calls } = standIn();
    const { emulator, deploy, ask } = await platform({ now: Date.now, real: true });
    emulator.volume().write('/model.bin', 'weights');
    emulator.store.secrets.set(emulator.project, { API_KEY: 'secret value' });
    const { path, id } = await deploy(settings, files);
    const reply = await fetch(`${emulator.url}/v4/${emulator.project}/image/predict?x=1`);
    expect([reply.status, await reply.json()]).toEqual([
      200,
      {
        path: '/predict?x=1',
        variables: expect.objectContaining({
          ...{ API_KEY: 'secret value', PORT: '8080', APP_NAME: 'image', BUILD_ID: id },
          HF_HOME: '/persistent-storage/.cache/huggingface',
        }),
        files: ['model.bin'],
      },
    ]);
    const [image, name] = [`gantry-emulator:${id}`, expect.stringMatching(/^p-12345678-image-/)];
    const run = calls().find(([verb]) => verb === 'run') ?? [];
    expect(calls().find(([verb]) => verb === 'build')).toEqual([
      'build',
      '--tag',
      image,
      '--file',
      expect.stringMatching(/\/Dockerfile$/),
      expect.any(String),
    ]);
    expect(run).toEqual(
      expect.arrayContaining(['--rm', '--name', name, expect.stringMatching(/^127\.0\.0\.1:\d+:8080$/)]),
    );
    expect(run).toEqual(expect.arrayContaining([expect.stringMatching(/\/mounted\/.*:\/persistent-storage$/), image]));
    expect(run.join(' ')).not.toContain('secret value');
    const { json } = await ask('GET', `${path}/logs?direction=forward`);
    const printed = JSON.stringify(json.logs);
    expect([printed.includes('STEP 1/2'), printed.includes('listening')]).toContain(true);
    await ask('DELETE', path);
    expect(calls().slice(-3)).toEqual([
      ['kill', name],
      ['rm', '--force', name],
      ['image', 'rm', image],
    ]);
  });

  test('is preceded by the removal of containers whose emulator was killed', async () => {
    const { calls, leave } = standIn();
    const own = newOwnerName();
    const ended = String(spawnSync('true').pid);
    leave([`c-dead ${own.replace(/^\d+/, ended)}`, `c-alive ${own}`, 'c-other someone', 'c-none']);
    await findContainerEngine();
    // Podman would give it ten seconds to end.
    expect(calls().slice(-2)).toEqual([
      ['kill', 'c-dead'],
      ['rm', '--force', 'c-dead'],
    ]);
  });

  test('has the grace period to end after SIGTERM', async () => {
    standIn();
    const { emulator, deploy } = await platform({ now: Date.now, real: true });
    const call = () =>
      fetch(`${emulator.url}/v4/${emulator.project}/image/`).then(
        (reply) => reply.json() as Promise<{ files: string[] }>,
      );
    await deploy(settings, files);
    expect((await call()).files).toEqual([]);
    await deploy(settings, files);
    await call();
    await expect.poll(() => emulator.volume().paths(), { timeout: 15_000 }).toEqual(['/stopped']);
  });

  test('whose entrypoint is configured runs that instead of the command of the image', async () => {
    const { calls } = standIn();
    const { emulator, deploy } = await platform({ now: Date.now, real: true });
    await deploy({ ...settings, entrypoint: ['python app.py --port 8080'] }, files);
    expect((await fetch(`${emulator.url}/v4/${emulator.project}/image/`)).status).toBe(200);
    const run = calls().find(([verb]) => verb === 'run') ?? [];
    expect(run.slice(run.indexOf('--entrypoint'))).toEqual([
      ...['--entrypoint', 'python', expect.stringMatching(/^gantry-emulator:/), 'app.py', '--port', '8080'],
    ]);
  });

  test('that cannot be built or has no engine says so', async () => {
    const { stop } = standIn();
    const { emulator, deploy, ask, logOf } = await platform({ now: Date.now, real: true });
    const { build } = await deploy(settings, { Dockerfile: 'BROKEN\n' });
    expect((await ask('GET', build)).json).toMatchObject({
      status: 'build_failure',
      initError: expect.stringMatching(/^its image cannot be built: [\s\S]*no such instruction: BROKEN$/),
    });
    expect(await logOf(build)).toContain('STEP 1/2: FROM scratch');
    expect((await fetch(`${emulator.url}/v4/${emulator.project}/image/`)).status).toBe(503);
    stop();
    process.env.PATH += delimiter;
    const other = await deploy({ ...settings, name: 'other' }, files);
    expect((await logOf(other.build)).at(-1)).toMatch(/^The app was not started: .*docker nor podman/);
    expect((await ask('GET', other.build)).json).toMatchObject({
      status: 'success',
      notStarted: { reason: expect.stringContaining('docker nor podman'), calls: 'refused' },
    });
    const reply = await fetch(`${emulator.url}/v4/${emulator.project}/other/`);
    expect([reply.status, await reply.text()]).toEqual([501, expect.stringContaining('docker nor podman')]);
  });
});
