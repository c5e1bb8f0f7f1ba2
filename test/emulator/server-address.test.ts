import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { newFolder } from '../support/files.ts';
import { platform } from './support/platform.ts';
import { python, running } from './support/running.ts';

/** A server that prints the address it listens on. */
const telling = (listen: string, more = '') => `
import os, socket, sys
port = int(os.environ["PORT"])
${listen}
server.listen()
print("listens", server.getsockname()[0], flush=True)
${more}
while True:
    client, _ = server.accept()
    client.recv(65536)
    client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok")
    client.close()
`;

async function served(code: string, { entrypoint = ['python', 'own.py'], files = {} } = {}) {
  const warnings: string[] = [];
  const options = { files: { 'own.py': code, ...files }, onWarning: (text: string) => warnings.push(text) };
  const { base, printed } = await running('server', { runtime: 'custom', entrypoint, port: 8195 }, options);
  const answer = await fetch(`${base}/x`);
  return { status: answer.status, warnings, printed };
}

const opened = (family: string, host: string) =>
  `server = socket.socket(socket.${family})\nserver.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\nserver.bind((${host}, port))`;

describe.skipIf(!python)("an app's own server (needs python3)", () => {
  test.each([
    ["''", opened('AF_INET', '""'), '127.0.0.1'],
    ['0.0.0.0', opened('AF_INET', '"0.0.0.0"'), '127.0.0.1'],
    ['0', opened('AF_INET', 'b"0"'), '127.0.0.1'],
    ['::', opened('AF_INET6', '"::"'), '::ffff:127.0.0.1'],
    [
      ':: for both families',
      'server = socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)',
      '::ffff:127.0.0.1',
    ],
    ['127.0.0.1', opened('AF_INET', '"127.0.0.1"'), '127.0.0.1'],
  ])('that listens on %s uses the loopback address only', async (_, listen, address) => {
    const { status, warnings, printed } = await served(telling(listen));
    expect([status, await printed(), warnings]).toEqual([200, [`listens ${address}`], []]);
  });

  test('can still bind to port 0 as a client, and have its own sitecustomize', async () => {
    const client = 'client = socket.socket(); client.bind(("", 0)); print(client.getsockname()[0], flush=True)';
    const { status, printed } = await served(telling(opened('AF_INET', '""'), client), {
      entrypoint: ['sh', '-c', 'PYTHONPATH="$PYTHONPATH:$PWD/more" python3 own.py'],
      files: { 'more/sitecustomize.py': 'print("custom", flush=True)\n' },
    });
    expect([status, await printed()]).toEqual([200, ['custom', 'listens 127.0.0.1', '0.0.0.0']]);
  });

  test('that listens after another one of the same port, which starts at the same time, answers its own calls', async () => {
    const { emulator, deploy } = await platform({ now: Date.now, real: true });
    const settings = { runtime: 'custom', entrypoint: ['python', 'own.py'], port: 8197 };
    const signs = newFolder();
    const server = (name: string, awaits: string) => `
import os, time
open("${signs}/${name}", "w").close()
while not os.path.exists("${signs}/${awaits}"): time.sleep(0.01)
${telling(opened('AF_INET', '""')).replace('ok', name)}`;
    const first = deploy({ name: 'me', ...settings }, { 'own.py': server('me', 'us') });
    await expect.poll(() => readdirSync(signs)).toEqual(['me']);
    const second = deploy({ name: 'us', ...settings }, { 'own.py': server('us', 'go') });
    await first;
    const wasReady = await Promise.race([second.then(() => true), setTimeout(300, false)]);
    writeFileSync(join(signs, 'go'), '');
    await second;
    const answers = ['me', 'us'].map(async (name) => fetch(`${emulator.url}/v4/${emulator.project}/${name}/x`));
    const texts = await Promise.all(answers.map(async (answer) => (await answer).text()));
    expect([wasReady, texts]).toEqual([false, ['me', 'us']]);
  });

  test.skipIf(!existsSync('/proc/net/tcp'))('causes a warning if other machines can reach it', async () => {
    for (const [family, host, address] of [
      ['AF_INET', '"0.0.0.0"', '0.0.0.0'],
      ['AF_INET6', '"::"', '[::]'],
    ] as const) {
      // With -E, Python ignores PYTHONPATH, like servers in other languages.
      const entrypoint = ['python', '-E', 'own.py'];
      const { status, warnings, printed } = await served(telling(opened(family, host)), { entrypoint });
      const [warning = '', ...others] = warnings;
      expect([status, others]).toEqual([200, []]);
      expect(warning.replace(/:\d+,/, ':PORT,')).toBe(
        `app server: the server listens on ${address}:PORT, where other machines can call it without a token; make it listen on 127.0.0.1`,
      );
      expect(await printed()).toContain(warning.replace('app server:', 'warning:'));
    }
  });
});
