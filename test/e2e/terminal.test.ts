import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import type { main as Main, processIo as ProcessIo } from '../../src/main.ts';
import { address, configFolder, machine, newFolder, smallApp, startEmulator } from '../support/index.ts';

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

  constructor(private readonly seen: (text: string) => void = () => {}) {
    super();
  }

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk;
    this.seen(this.text);
    done();
  }

  clearLine = () => true;
  cursorTo = () => true;
  moveCursor = () => true;
}

/** A deploy that waits for its build, until Ctrl-C when stderr shows this. */
async function waitingFor(env: Record<string, string>, shown: RegExp) {
  const emulator = await startEmulator();
  emulator.fail('build', 'slow');
  let interrupt = () => {};
  const [stdout, stderr] = [new Terminal(), new Terminal((text) => shown.test(text) && interrupt())];
  const onSignal: ReturnType<typeof ProcessIo>['onSignal'] = (listener) => {
    interrupt = () => {
      interrupt = () => {};
      listener('SIGINT');
    };
    return () => {};
  };
  const own = machine({ GANTRY_CONFIG_DIR: configFolder(), ...address(emulator), ...env });
  // After Ctrl-C, the program would end this process.
  const io = { ...built.processIo(), cwd: newFolder(smallApp()), env: own, stdout, stderr, onSignal, quit: () => {} };
  const code = await built.main(['deploy', '--no-input'], io);
  await emulator.close();
  return { code, stderr: stderr.text };
}

test.each([{}, { CI: 'true' }])('the built program draws a spinner on a terminal while it waits (%o)', async (env) => {
  expect(await waitingFor(env, /⠋.* Building web: building/s)).toExit(130, /⠋.* Building web: building/s);
});

test('on a terminal that cannot draw it writes lines only', async () => {
  const { stderr } = await waitingFor({ TERM: 'dumb' }, /Uploaded/);
  expect(stderr).toContain('Created build');
  expect(stderr).not.toContain('\u001b');
  expect(stderr).not.toContain('⠋');
});
