import { describe, expect, test } from 'vitest';
import { python } from '../emulator/support/running.ts';
import { fixture } from '../support/app.ts';
import { cleanEnvironment, run, start } from './binary.ts';

describe.skipIf(!python)('the built emulator (needs python3)', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('runs apps, and takes them with it when it gets %s', async (signal) => {
    const emulator = start(['emulator', 'start', '--port', '0', '--no-seed', '--json'], { env: cleanEnvironment() });
    await emulator.says(/\n/);
    await expect.poll(() => emulator.said.stdout).toMatch(/\}\s*$/);
    const { environment, url, project } = JSON.parse(emulator.said.stdout);
    const env = cleanEnvironment(undefined, environment);
    await run(['deploy'], { env, cwd: fixture('functions') });
    const body = '{"name": "Ada"}';
    const answer = await fetch(`${url}/v4/${project}/functions/run`, { method: 'POST', body });
    const { result } = (await answer.json()) as { result: { greeting: string; process: number } };
    expect(result.greeting).toBe('hello Ada');
    const alive = () => {
      try {
        return process.kill(result.process, 0);
      } catch {
        return false;
      }
    };
    expect(alive()).toBe(true);
    emulator.kill(signal);
    await emulator.ended;
    await expect.poll(alive).toBe(false);
  });
});
