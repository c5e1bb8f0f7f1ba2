import { expect, test } from 'vitest';
import { deployWeb, gantry, inFrontOf, print, startEmulator } from '../support/index.ts';

const token = 'opaque-7Hq2-zebra-walnut-Kx93-lagoon';

test.each([['text'], ['json']])('a token that is split between two lines of a log is not shown (%s)', async (form) => {
  await using emulator = await stoppable();
  await deployWeb(emulator);
  print(emulator, `using ${token.slice(0, 20)}`);
  print(emulator, `${token.slice(20)} to log in`);
  // The emulator takes its own token only: this one is known for it is in the environment.
  const env = { CEREBRIUM_SERVICE_ACCOUNT_TOKEN: token };
  const { code, stdout } = await gantry(['logs', 'web', ...(form === 'json' ? ['--json'] : [])], { emulator, env });
  expect([code, stdout]).toEqual([0, expect.stringContaining('to log in')]);
  expect(stdout).not.toMatch(/zebra|walnut|lagoon/);
});

test.each([2_000 - 10, 2_000 - 20, 2_000 - 30])(
  'a token is not shown if a long message is truncated within it, at %i',
  async (at) => {
    await using emulator = await stoppable();
    const message = `${'x'.repeat(at - 1)} ${token} is not known`;
    const refusing = await inFrontOf(emulator, () => ({ status: 403, body: JSON.stringify({ message }) }));
    const outcome = await gantry(['apps', 'list', '--json'], { emulator, env: { ...refusing, GANTRY_TOKEN: token } });
    expect(outcome.stderr).toContain('more characters');
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout + outcome.stderr).not.toMatch(/opaque-|zebra|walnut|lagoon/);
  },
);

async function stoppable() {
  const emulator = await startEmulator({ real: false });
  return Object.assign(emulator, { [Symbol.asyncDispose]: () => emulator.close() });
}
