import { beforeEach, expect, test } from 'vitest';
import { answering, deployWeb, emulatorForEach, gantry, record, wideTerminal, widthOf } from '../support/index.ts';

const emulator = emulatorForEach({ real: false });

beforeEach(async () => {
  await deployWeb(emulator);
});

test('lists containers with their uptime', async () => {
  record(emulator, { id: 'r-1', createdAt: Date.now() - 90_000, container: 'web-abc-1', runtimeMs: 1e9 });
  expect((await gantry(['apps', 'containers', 'web'], { emulator, ...wideTerminal })).stdout).toMatch(
    /^CONTAINER +STATE +RESTARTS +REGION +BUILD +UP\nweb-abc-1 +RUNNING +0 +us-east-1 +[\da-f]{8} +1m 3\ds\n$/,
  );
  const { json } = await gantry(['apps', 'containers', 'web', '--json=containerState,isTerminating'], { emulator });
  expect(json()).toEqual([{ containerState: 'RUNNING', isTerminating: false }]);
});

test('shows terminating containers, and a dash for unknown values', async () => {
  const started = new Date(Date.now() - 30_500).toISOString();
  const url = await answering([
    { containerId: 'c-1', containerState: 'RUNNING', isTerminating: true, containerRunningTimeMs: 5_000, odd: 1 },
    { containerId: 'c-2', containerState: 'RUNNING', containerStartTimestamp: started },
    { containerId: 'c-3', containerState: 'PENDING', containerStartTimestamp: '0001-01-01T00:00:00Z' },
  ]);
  const env = { GANTRY_API_URL: url };
  const { stdout } = await gantry(['apps', 'containers', 'web'], {
    emulator,
    columns: 80,
    env: { ...env, NO_COLOR: '1' },
  });
  expect(stdout).toBe(
    'CONTAINER  STATE           UP\nc-2        RUNNING       31 s\nc-1        TERMINATING  5.0 s\nc-3        PENDING          -\n',
  );
  const { json } = await gantry(['apps', 'containers', 'web', '--json=odd,containerStartTimestamp'], { emulator, env });
  expect(json()).toContainEqual({ odd: 1, containerStartTimestamp: null });
});

test('does not truncate a name on a terminal of 80 columns', async () => {
  const containerId = 'p-12345678-transcriber-fa5470cf-7d2c4-and-more';
  const url = await answering([
    { containerId, containerState: 'RUNNING', region: 'eu-north-1', buildId: 'b'.repeat(36) },
  ]);
  const setting = { emulator, columns: 80, env: { GANTRY_API_URL: url, NO_COLOR: '1' } };
  const { stdout } = await gantry(['apps', 'containers', 'web'], setting);
  expect(stdout).toContain(containerId);
  expect(Math.max(...stdout.split('\n').map(widthOf))).toBeLessThanOrEqual(80);
});
