// How long a command takes that has nothing to do, over a Node process that does nothing at all.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inTurns, timed } from './measure.js';

/** @import { Bench } from './run.js' */

const node = process.execPath;
const gantry = (/** @type {string[]} */ ...words) => [node, 'bin/gantry.cjs', ...words];
const bare = "require('node:http').get(process.argv[1], (reply) => reply.pipe(process.stdout))";

/** @param {Bench} bench */
export async function startUp({ folder, quick, report }) {
  const stub = await startStub();
  try {
    const login = { GANTRY_API_URL: stub.url, GANTRY_TOKEN: 'bench', GANTRY_PROJECT: 'p-bench' };
    const env = { ...login, GANTRY_CONFIG_DIR: mkdtempSync(join(folder, 'config-')) };
    const appsList = { name: 'apps list', command: gantry('apps', 'list'), env };
    // The first run creates the folder of compiled code, the second one fills it.
    const exec = { name: 'emulator exec -- true', command: gantry('emulator', 'exec', '--', 'true'), env };
    for (let time = 0; time < 2; time++) for (const command of [appsList, exec]) await timed(command);
    const rounds = quick ? 1 : 21;
    report.begin(`start-up, ${rounds} rounds`);
    const runs = await inTurns(
      [
        { name: 'node -e 0', command: [node, '-e', '0'] },
        { name: '--version', command: gantry('--version') },
        { name: '--help', command: gantry('--help') },
        { name: 'deploy --help', command: gantry('deploy', '--help') },
        { name: 'a bare http.get', command: [node, '-e', bare, stub.url] },
        appsList,
        exec,
      ],
      rounds,
    );
    report.candidates(runs, {
      '--version': { over: [{ over: 'node -e 0', most: 1.15 }] },
      '--help': { over: [{ over: 'node -e 0', most: 1.25 }] },
      'deploy --help': { over: [{ over: 'node -e 0', most: 1.7 }] },
      'a bare http.get': { over: [{ over: 'node -e 0' }] },
      'apps list': {
        over: [
          { over: 'node -e 0', most: 2.2 },
          { over: 'a bare http.get', most: 1.5 },
        ],
      },
      'emulator exec -- true': { over: [{ over: 'node -e 0', most: 4 }] },
    });
  } finally {
    stub.stop();
  }
}

const apps = ['web', 'worker', 'embeddings'].map((name) => ({
  id: `p-bench-${name}`,
  name,
  projectId: 'p-bench',
  region: 'us-east-1',
  hardware: 'CPU',
  status: 'ready',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
}));

/** Answers everything at once with a list of apps, in a process of its own so that nothing waits for it. */
async function startStub() {
  const script = `
    const { createServer } = require('node:http');
    const server = createServer((_, reply) => reply.setHeader('content-type', 'application/json').end(process.argv[1]));
    server.listen(0, '127.0.0.1', () => process.stdout.write(String(server.address().port)));
  `;
  const child = spawn(node, ['-e', script, JSON.stringify(apps)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}
