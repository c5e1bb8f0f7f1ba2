import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { gantry } from '../support/gantry.ts';
import { expectNoTrace } from '../support/traces.ts';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator();
  emulator.volume().write('/notes.txt', 'first\n');
  emulator.volume().write('/more.txt', 'second');
  emulator.volume().write('/empty', '');
  emulator.volume().write('/big', 'x'.repeat(3_000_000));
});

afterEach(() => emulator.close());

test('cat prints files as they are, one after another', async () => {
  const outcome = await gantry(['cat', '/notes.txt', 'default:/more.txt', '/empty'], { emulator });
  expect([outcome.code, outcome.stdout, outcome.stderr]).toEqual([0, 'first\nsecond', '']);
  expectNoTrace(outcome, emulator);
});

test('cat changes no byte, not even of what would steer a terminal', async () => {
  const content = 'a\u001b[2J\u0007\r\n\u0000::error::';
  emulator.volume().write('/odd', content);
  expect((await gantry(['cat', '/odd'], { emulator, env: { GITHUB_ACTIONS: 'true' } })).stdout).toBe(content);
});

test('the link is asked for with the token, the content without', async () => {
  await gantry(['cat', '/notes.txt', '--region', 'us-east-1'], { emulator });
  const [link, content] = emulator.calls.slice(-2);
  expect([link?.endpoint, link?.hasAuthorization]).toEqual(['getDownloadLink', true]);
  expect([content?.endpoint, content?.hasAuthorization]).toEqual(['object', false]);
});

describe('when the line breaks in the middle', () => {
  test.each(['reset-during', 'truncated', 'stall-during', 'reset-before', 'slow-down', '503', 'expired'])(
    '%s: it goes on where it was',
    async (fault) => {
      emulator.fail('object', fault);
      const { code, stdout } = await gantry(['cat', '/big'], {
        emulator,
        // Impatient only where the connection falls silent: on a busy machine any healthy answer may take a while.
        ...(fault === 'stall-during' ? { silenceMs: 1_000 } : {}),
      });
      expect([code, stdout.length]).toEqual([0, 3_000_000]);
      expect(emulator.calls.filter(({ endpoint }) => endpoint === 'object')).toHaveLength(2);
    },
  );

  test('a file that has changed meanwhile is not mixed with what it was', async () => {
    emulator.fail('object', 'changed');
    const { code, stdout, stderr } = await gantry(['cat', '/big'], { emulator });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^x+$/);
    expect(stderr).toContain('changed');
  });

  test('for ever, it gives up', async () => {
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
])('cat %j exits %i and prints nothing', async (words, exit) => {
  const { code, stdout } = await gantry(['cat', ...words], { emulator });
  expect(code).toBe(exit);
  if (!words.includes('--json')) expect(stdout).toBe('');
  expect(emulator.calls.filter(({ endpoint }) => endpoint === 'object')).toEqual([]);
});
