import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import type { main as Main, processIo as ProcessIo } from '../../src/main.ts';
import { folderOf, smallApp } from '../support/app.ts';
import { address, configFolder } from '../support/gantry.ts';

const built = createRequire(import.meta.url)('../../dist/main.cjs') as {
  main: typeof Main;
  processIo: typeof ProcessIo;
};

/** As much of a terminal as a spinner asks for. */
class Terminal extends Writable {
  readonly isTTY = true;
  readonly columns = 80;
  readonly rows = 24;
  text = '';

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk;
    done();
  }

  clearLine = () => true;
  cursorTo = () => true;
  moveCursor = () => true;
}

async function waitingFor(env: Record<string, string>) {
  await using app = await folderOf(smallApp());
  const emulator = await startEmulator();
  emulator.fail('build', 'slow');
  const [stdout, stderr] = [new Terminal(), new Terminal()];
  const own = { GANTRY_CONFIG_DIR: configFolder(), LANG: 'C.UTF-8', ...address(emulator), ...env };
  const words = ['deploy', '--no-input', '--timeout', '1200ms'];
  const code = await built.main(words, { ...built.processIo(), cwd: app.path, env: own, stdout, stderr });
  await emulator.close();
  return { code, stderr: stderr.text };
}

test.each([{}, { CI: 'true' }])('the built program draws a spinner on a terminal while it waits (%o)', async (env) => {
  const { code, stderr } = await waitingFor(env);
  expect(stderr).toMatch(/⠋.* Building web: building/s);
  expect(code).toBe(8);
});

test('on a terminal that cannot draw it writes lines only', async () => {
  const { stderr } = await waitingFor({ TERM: 'dumb' });
  expect(stderr).toContain('Created build');
  expect(stderr).not.toContain('\u001b');
  expect(stderr).not.toContain('⠋');
});
