import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { halves } from '../support/extent.ts';
import { emulatorForAll, newFolder, smallApp } from '../support/index.ts';
import { bin, cleanEnvironment, run, start } from './binary.ts';

let place: string;

const emulator = emulatorForAll();

beforeAll(async () => {
  place = newFolder({ ...smallApp(), a: 'bytes\n', 'headers.txt': 'X-Cerebrium-Run-Id: r\n', key: 'key\n' });
  const options = { cwd: place, env: environment() };
  expect((await run(['deploy'], options)).exitCode).toBe(0);
  expect((await run(['cp', 'a', ':/a'], options)).exitCode).toBe(0);
  execFileSync('mkfifo', [join(place, 'f')]);
});

const environment = () => cleanEnvironment(emulator, { GANTRY_CONFIG_DIR: join(place, 'config') });

const readers = [
  { words: ['secrets', 'set', 'A', '--from-file', 'f', '--yes'], content: 'value\n', code: 0 },
  { words: ['secrets', 'set', '--from-env-file', 'f', '--yes'], content: 'A=value\n', code: 0 },
  { words: ['invoke', 'web', '--data', '@f'], content: '{}', code: 0 },
  { words: ['invoke', 'web', '--input', 'f'], content: '{}', code: 0 },
  { words: ['api', 'POST', '/v2/projects', '--input', 'f'], content: '{"name": "other"}', code: 6 },
  { words: ['login', '--import', 'f'], content: 'no: token\n', code: 4 },
  { words: ['run', 'main.py', '--data', '@f'], content: 'no JSON', code: 2 },
  { words: ['explain', '--file', 'f'], content: 'a log', code: 0 },
];

describe.skipIf(process.platform === 'win32')('a FIFO', () => {
  const [interrupted, written] = halves(readers);
  test.each(interrupted.map(({ words }) => [words.join(' ')]))(
    'without a writer ends with one Ctrl-C: %s',
    async (words) => {
      const { kill, ended, waits } = waiting(words);
      await waits;
      kill('SIGINT');
      expect(await ended).toEqual({ code: 130, signal: null });
    },
  );

  test.each(written.map((reader) => [reader.words.join(' '), reader]))(
    'that is written to later is read: %s',
    async (words, { content, code }) => {
      const { ended, waits, said } = waiting(words);
      await waits;
      await serve('cat > f', content);
      expect([(await ended).code, said.stderr]).toEqual([code, expect.not.stringContaining('cannot read')]);
    },
  );

  test.each(['cp :/a f', 'deploy --dry-run -o f'])('is not written to: %s', async (words) => {
    const { exitCode, stderr } = await shell(`"${process.execPath}" "${bin}" ${words}`);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('f is a pipe')]);
  });
});

describe.skipIf(process.platform === 'win32')('files that a shell passes', () => {
  test.each([
    ['api POST /v2/projects --input <(sleep 0.5; echo \'{"name": "other"}\')', 6, 'route not found'],
    ["invoke web --data @<(printf '{}')", 0, ''],
    ['secrets set A --from-file <(true) --yes', 2, 'the value of A is empty'],
    ['secrets set A --from-file /dev/null --yes', 2, 'the value of A is empty'],
    ['secrets set A --from-file /dev/stdin --yes < a', 0, ''],
    ['secrets set A --from-file /nothing --yes', 6, '/nothing not found'],
    ['cp :/a >(cat)', 2, 'is a pipe or a device'],
    ['cp <(seq 5) :/b.txt', 2, 'pipe it: the command that writes it | gantry cp - default:/b.txt'],
    ['deploy --dry-run -o /dev/null', 0, ''],
    ['deploy --dry-run -o .', 2, '. is a folder'],
  ])('%s', async (words, code, says) => {
    const { exitCode, stderr } = await shell(`"${process.execPath}" "${bin}" ${words}`);
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(says)]);
  });

  test.runIf(process.platform === 'linux')(
    'a full device behind stdout is named, not the temporary folder',
    async () => {
      const { exitCode, stderr } = await shell(`"${process.execPath}" "${bin}" deploy --dry-run -o - > /dev/full`);
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringContaining('cannot write to stdout: no space left on device'),
      ]);
      expect(stderr).not.toContain('TMPDIR');
    },
  );
});

function shell(script: string) {
  return execa('bash', ['-c', script], {
    cwd: place,
    env: environment(),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
}

/** `waits` until the program waits for the other end of the FIFO. */
function waiting(words: string) {
  const started = start(words.split(' '), { cwd: place, env: environment() });
  return { ...started, waits: hasCome(started.pid) };
}

/** Linux shows which files a process reads. */
async function hasCome(pid: number | undefined): Promise<void> {
  if (process.platform !== 'linux') return setTimeout(2_000);
  const open = `/proc/${pid}/fd`;
  const isReading = () => readdirSync(open).some((fd) => linkOf(join(open, fd)) === join(place, 'f'));
  while (existsSync(open) && !isReading()) await setTimeout(20);
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** The other end of the FIFO, in a process of its own: opening it here would block a thread of the tests. */
async function serve(script: string, input = ''): Promise<Buffer> {
  const options = { cwd: place, input, encoding: 'buffer' as const, timeout: 10_000, stripFinalNewline: false };
  return Buffer.from((await execa('sh', ['-c', script], options)).stdout);
}
