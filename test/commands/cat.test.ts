import { beforeEach, describe, expect, test } from 'vitest';
import { emulatorForEach, expectNoTrace, gantry } from '../support/index.ts';
import { send, storage } from '../support/storage.ts';

const emulator = emulatorForEach();

beforeEach(async () => {
  emulator.volume().write('/notes.txt', 'first\n');
  emulator.volume().write('/more.txt', 'second');
  emulator.volume().write('/empty', '');
  emulator.volume().write('/big', 'x'.repeat(3_000_000));
});

test('prints files unchanged, one after another', async () => {
  const outcome = await gantry(['cat', '/notes.txt', 'default:/more.txt', '/empty'], { emulator });
  expect([outcome.code, outcome.stdout, outcome.stderr]).toEqual([0, 'first\nsecond', '']);
  expectNoTrace(outcome, emulator);
});

test('changes no byte, not even of control sequences', async () => {
  const content = 'a\u001b[2J\u0007\r\n\u0000::error::';
  emulator.volume().write('/odd', content);
  expect((await gantry(['cat', '/odd'], { emulator, env: { GITHUB_ACTIONS: 'true' } })).stdout).toBe(content);
});

test('requests the URL with the token, the content without', async () => {
  await gantry(['cat', '/notes.txt', '--region', 'us-east-1'], { emulator });
  const [link, content] = emulator.calls.slice(-2);
  expect([link?.endpoint, link?.hasAuthorization]).toEqual(['getDownloadLink', true]);
  expect([content?.endpoint, content?.hasAuthorization]).toEqual(['object', false]);
});

describe('a downloaded file is compared with the checksum of the storage', () => {
  const commands = [
    ['cat', '/notes.txt', '/more.txt'],
    ['cp', ':/notes.txt', '-'],
  ];

  test.each(commands)('%s fails at the end of a damaged file and names it', async (...words) => {
    emulator.fail('object', 'corrupt');
    const { code, stdout, stderr } = await gantry(words, { emulator });
    expect([code, stdout]).toEqual([69, expect.stringMatching(/^[^f]irst\n$/)]);
    expect(stderr).toContain('the content printed for default:/notes.txt is damaged');
    expect(stderr).toContain('gantry cp --no-checksum default:/notes.txt -');
  });

  test('as a whole if reading it was resumed', async () => {
    emulator.fail('object', 'truncated', 'corrupt');
    expect(await gantry(['cat', '/big'], { emulator })).toExit(69, 'the content printed for default:/big is damaged');
  });

  test('but not with cp --no-checksum', async () => {
    emulator.fail('object', 'corrupt');
    expect(await gantry(['cp', '--no-checksum', ':/notes.txt', '-'], { emulator })).toPrint(/^[^f]irst\n$/);
  });

  test.each([{}, { etag: '"5d41402abc4b2a76b9719d911017c592-3"' }])(
    'but not if the storage has no checksum: %j',
    async (headers) => {
      const { env } = await storage({ name: 'a', bytes: 5 }, (asked) => send(asked, Buffer.from('hello'), headers));
      expect(await gantry(['cat', '/a'], { env })).toMatchObject({ code: 0, stdout: 'hello' });
    },
  );
});

describe('when the connection breaks in the middle', () => {
  test.each(['reset-during', 'truncated', 'stall-during', 'reset-before', 'slow-down', '503', 'expired'])(
    '%s: resumes where it broke',
    async (fault) => {
      emulator.fail('object', fault);
      const { code, stdout } = await gantry(['cat', '/big'], {
        emulator,
        // Impatient only where the connection falls silent: on a busy machine any healthy answer may take a while.
        ...(fault === 'stall-during' ? { io: { silenceMs: 1_000 } } : {}),
      });
      expect([code, stdout.length]).toEqual([0, 3_000_000]);
      expect(emulator.calls.filter(({ endpoint }) => endpoint === 'object')).toHaveLength(2);
    },
  );

  test('does not mix a file that changed meanwhile with its old content', async () => {
    emulator.fail('object', 'changed');
    const { code, stdout, stderr } = await gantry(['cat', '/big'], { emulator });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^x+$/);
    expect(stderr).toContain('changed');
  });

  test('fails if it breaks every time', async () => {
    emulator.fail('object', 'reset-before*');
    expect((await gantry(['cat', '/big'], { emulator })).code).toBe(69);
  });
});

test.each([
  [['/nothing'], 6],
  [['/notes.txt', '/nothing'], 6],
  [['/'], 2],
  [['/notes.txt', '--json'], 2],
  [[], 2],
])('%j exits with %i and prints nothing', async (words, exit) => {
  const { code, stdout } = await gantry(['cat', ...words], { emulator });
  expect(code).toBe(exit);
  if (!words.includes('--json')) expect(stdout).toBe('');
  expect(emulator.calls.filter(({ endpoint }) => endpoint === 'object')).toEqual([]);
});
