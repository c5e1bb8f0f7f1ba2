import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import type { main as Main, processIo as ProcessIo } from '../../src/main.ts';
import { folderOf, smallApp } from '../support/app.ts';
import { address } from '../support/gantry.ts';

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

test('the built program draws a spinner while it waits', async () => {
  await using app = await folderOf(smallApp());
  const emulator = await startEmulator();
  emulator.fail('build', 'slow');
  const [stdout, stderr] = [new Terminal(), new Terminal()];
  const env = { GANTRY_CONFIG_DIR: '/nonexistent', LANG: 'C.UTF-8', ...address(emulator) };
  const words = ['deploy', '--no-input', '--timeout', '500ms'];
  const code = await built.main(words, { ...built.processIo(), cwd: app.path, env, stdout, stderr });
  await emulator.close();
  expect(stderr.text).toMatch(/⠋.* Building web: building/s);
  expect(code).toBe(8);
});
