import { expect, test } from 'vitest';
import { lookCommandFor } from '../../../src/platform/api/lost-reply.ts';
import { endpoints } from '../../../src/platform/contract/index.ts';
import { emulatorForEach, gantry } from '../../support/index.ts';

const emulator = emulatorForEach({ real: false });

/** A call of an app says so itself. */
const lookedUpElsewhere = ['invoke'];

test('every request that changes something and is not repeated has a command that shows whether it did', () => {
  const unexplained = Object.entries(endpoints).filter(
    ([, endpoint]) =>
      endpoint.retryable === false && !endpoint.anonymous && !lookCommandFor(endpoint, { app: 'web', body: {} }),
  );
  expect(unexplained.map(([name]) => name).sort()).toEqual(lookedUpElsewhere);
});

test.each([
  ['users invite new@example.com --role member', 'inviteUser', 'gantry users list'],
  ['plan set standard --yes', 'changePlan', 'gantry open'],
  ['secrets set KEY --from-env --yes', 'setProjectSecrets', 'gantry secrets list'],
  ['api POST /v2/projects/{project}/users --field emailAddress=a@b.test', 'inviteUser', 'gantry api GET /v2/projects/'],
] as const)('%s says that it may have taken effect if the reply is lost', async (line, endpoint, look) => {
  for (const fault of ['reset-after', '500', 'stall'] as const) {
    emulator.fail(endpoint, fault);
    const { code, stderr } = await gantry(line.split(' '), { emulator, env: { KEY: fault }, io: { silenceMs: 100 } });
    expect([fault, code, stderr]).toEqual([fault, 69, expect.stringMatching(/the request may have taken effect\n/)]);
    expect(stderr).toContain(`fix ${look}`);
  }
});

test.each(['429*', '503:1*', '403'] as const)('a request that was refused (%s) did not', async (fault) => {
  emulator.fail('inviteUser', fault);
  const { stderr } = await gantry(['users', 'invite', 'new@example.com', '--role', 'member'], { emulator });
  expect(stderr).not.toContain('may have taken effect');
});
