import { execFileSync } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { deployWeb, emulatorForAll, gantry, newFolder, smallApp } from '../support/index.ts';

const app = newFolder({ ...smallApp(), '.huge.bin': '', 'inputs.jsonl': '{}\n' });

const emulator = emulatorForAll();

beforeAll(async () => {
  await deployWeb(emulator);
  // Sparse: it takes no room.
  truncateSync(join(app, '.huge.bin'), 8 * 2 ** 30);
});

/** Every command with a flag or argument that names a file which is held in memory. */
const lines: [line: string, limit: string][] = [
  ['api POST /v2/x --input FILE', '64 MiB'],
  ['deploy --apply-plan FILE', '64 MiB'],
  ['explain --file FILE', '64 MiB'],
  ['invoke web --data @FILE', '64 MiB'],
  ['login --import FILE', '64 MiB'],
  ['run main.py --data @FILE', '64 MiB'],
  ['secrets set --from-env-file FILE', '1 MiB'],
  ['secrets set KEY --from-file FILE', '1 MiB'],
];

/** One for each limit: that all of them read by it shows the file below that has 8 GiB. */
const endless = lines.filter(([, limit], at) => at === lines.findIndex(([, other]) => other === limit));

describe.skipIf(process.platform === 'win32')('a file that never ends', () => {
  test.each(endless)('%s reads no more than %s', async (line, limit) => {
    const { code, stderr } = await read(line, '/dev/zero');
    expect(stderr).toContain('/dev/zero');
    expect(stderr).toContain(`it has more than ${limit}; gantry reads at most ${limit} of it`);
    expect([2, 10]).toContain(code);
  });

  test('invoke --input sends none of it', async () => {
    expect(await read('invoke web --input FILE', '/dev/zero')).toExit(2, '/dev/zero is too large');
  });

  test('on stdin is not read to its end either', async () => {
    const stdin = new PassThrough();
    const chunk = Buffer.alloc(2 ** 20, 'x');
    const fill = () => {
      while (!stdin.destroyed && stdin.write(chunk));
    };
    stdin.on('drain', fill);
    fill();
    const { code, stderr } = await gantry(['secrets', 'set', '--from-env-file', '-'], { emulator, stdin });
    expect([code, stderr]).toEqual([2, expect.stringContaining('stdin is too large')]);
  });
});

test('the size of a file that is just over its limit is told in bytes', async () => {
  const place = newFolder({ 'a.env': `A=${'x'.repeat(2 ** 20 - 1)}` });
  const outcome = await gantry(['secrets', 'set', '--from-env-file', 'a.env'], { emulator, cwd: place });
  expect(outcome).toExit(2, 'it has 1,048,577 B; gantry reads at most 1 MiB of it');
});

test.each(lines)('%s does not read a file of 8 GiB', async (line, limit) => {
  const { code, stderr } = await read(line, '.huge.bin');
  expect(stderr).toContain('.huge.bin');
  expect(stderr).toContain(`it has 8 GiB; gantry reads at most ${limit} of it`);
  expect([2, 10]).toContain(code);
});

/** And those that read it piece by piece, or a folder. */
const others = [
  'cp FILE :/file',
  'dev --from-env-file FILE',
  'invoke web --input FILE',
  'invoke web --webhook https://hook.example --webhook-secret-file FILE',
  'invoke web image=@FILE',
  'map web FILE.jsonl -o results.jsonl',
  'map web inputs.jsonl -o results.jsonl --async --webhook-secret-file FILE',
  'run FILE',
  'sync FILE :/folder',
  'webhooks listen --secret-file FILE',
];

test.each([...lines.map(([line]) => line), ...others])('%s exits with 6 where the file is not there', async (line) => {
  const { code, stderr } = await read(line, 'missing.py');
  expect([code, stderr]).toEqual([6, expect.stringContaining('missing.py')]);
});

describe.skipIf(process.platform === 'win32')('--timeout ends a call that waits', () => {
  test.each([
    'invoke web --data @FILE',
    'invoke web --input FILE',
    'invoke web --webhook https://hook.example --webhook-secret-file FILE',
  ])('for the writer of a FIFO: %s', async (line) => {
    const fifo = join(newFolder(), 'fifo');
    execFileSync('mkfifo', [fifo]);
    expect(await read(`${line} --timeout 50ms`, fifo)).toExit(69, 'the call was not sent within 50 ms');
  });

  test.each(['--data', '--input'])('for stdin: invoke web %s -', async (flag) => {
    const words = ['invoke', 'web', flag, '-', '--timeout', '50ms'];
    const { code, stderr } = await gantry(words, { emulator, stdin: new PassThrough() });
    expect([code, stderr]).toEqual([69, expect.stringContaining('the call was not sent within 50 ms')]);
  });
});

test('Ctrl-C ends a command that waits for stdin', async () => {
  const stop = new AbortController();
  const stdin = new PassThrough();
  const waiting = gantry(['secrets', 'set', '--from-env-file', '-'], { emulator, stdin, stop: stop.signal });
  await expect.poll(() => stdin.listenerCount('readable')).toBeGreaterThan(0);
  stop.abort();
  expect((await waiting).code).toBe(130);
});

function read(line: string, file: string) {
  const words = line.split(' ').map((word) => word.replace('FILE', file));
  return gantry(words, { emulator, cwd: app, env: { GANTRY_WEBHOOK_SECRET: 'signs' } });
}
