import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { python } from '../emulator/support/running.ts';
import { emulatorForEach, gantry, newFolder } from '../support/index.ts';

const emulator = emulatorForEach();

const settings = (port: number) =>
  `[cerebrium.deployment]\nname = "web"\ndisable_auth = false\n[cerebrium.runtime.custom]\nentrypoint = ["python", "main.py"]\nport = ${port}\n`;

/** Says where it listens, and then nothing. */
const server = (says: string) => `import time\nprint(${JSON.stringify(says)}, flush=True)\ntime.sleep(600)\n`;

const uvicorn = (address: string) => `INFO:     Uvicorn running on http://${address} (Press CTRL+C to quit)`;

/** Logs each call of its check, from another port each. */
const refusing = (status: string) => `import itertools, time
for port in itertools.count(40000):
    print(f'INFO:     127.0.0.1:{port} - "GET /health HTTP/1.1" ${status}', flush=True)
    time.sleep(0.05)
`;

/** A deploy that is stopped once it waits for the end of the build's own time limit, or has said why it waits. */
async function deploy(says: string, ...flags: string[]) {
  return deployOf({ 'cerebrium.toml': settings(8080), 'main.py': server(says) }, ...flags);
}

async function deployOf(files: Record<string, string>, ...flags: string[]) {
  const cwd = newFolder(files);
  const meanwhile = () => setTimeout(5);
  return gantry(['deploy', '--yes', '--timeout', '3m', ...flags], {
    emulator,
    cwd,
    meanwhile,
    stop: /is not ready after/,
  });
}

describe.runIf(python)('a start that the platform does not reach', () => {
  test.each([
    [uvicorn('0.0.0.0:8000'), 'the server listens on port 8000, and the platform sends', 'port = 8000', ':6:'],
    [uvicorn('127.0.0.1:8080'), 'the server listens on 127.0.0.1 only', 'listen on 0.0.0.0', ':5:', '--quiet'],
  ])(
    'is explained while it is waited for, also where no log is shown: %s',
    async (says, title, fix, line, ...flags) => {
      const warning = new RegExp(`warning: web is not ready after \\d+ s: ${title}`);
      expect(await deploy(says, ...flags)).toExit(130, warning, `cerebrium.toml${line}`, `why ${says}`, `fix ${fix}`);
    },
  );

  test.each([
    ['404 Not Found', 130, 's: the check of /health gets the status 404\n'],
    ['503 Service Unavailable', 8, 'still in progress'],
  ])('whose every check is a line is explained, unless the app says that it loads: %s', async (status, exit, said) => {
    const checked = `${settings(8080)}healthcheck_endpoint = "/health"\n`;
    const files = { 'cerebrium.toml': checked, 'main.py': refusing(status) };
    expect(await deployOf(files)).toExit(exit, said);
  });

  test('is not explained by what is no cause', async () => {
    const { code, stderr } = await deploy(uvicorn('0.0.0.0:8080'));
    expect([code, stderr.includes('is not ready')]).toEqual([8, false]);
  });
});
