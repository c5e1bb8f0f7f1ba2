import { defineCommand } from '../command.ts';
import { readIdentity } from '../operations/account/index.ts';
import { timeLeft } from '../output/format.ts';
import { keyValueTable } from '../output/table.ts';

export default defineCommand({
  configure: (command) => command.option('--check', 'ask the platform whether it accepts the token'),
  run: (context, { check }) => readIdentity(context, { check: check === true }),
  view: ({ project, projectOrigin, profile, origin, unused, kind, user, expiresAt, renewable, addresses, checked }) =>
    keyValueTable([
      ['user', user],
      ['kind', kind === 'login' ? 'login' : 'service account'],
      ['project', project ? `${project}, from the ${projectOrigin}` : 'none is chosen: gantry projects use p-…'],
      ['profile', profile],
      ['token', origin],
      ['unused', unused && `${unused}: the environment comes first`],
      ['expires', expiresAt ? timeLeft(expiresAt) : 'unknown'],
      ['renewed', renewable ? 'automatically' : ''],
      ['accepted', checked ? 'yes' : ''],
      ...[...new Set(Object.values(addresses))].map((address): [string, string] => [
        'address',
        `${address} (${namesOf(addresses, address)})`,
      ]),
    ]),
  json: {
    project: 'the project in use; null when none is chosen',
    projectOrigin: 'where it was found: flag, environment, profile or token',
    profile: 'the profile in use',
    origin: 'where the token comes from: environment or profile',
    unused: 'where a stored token is that the one in use comes before',
    kind: 'login or service-account',
    user: 'who the token is for, as far as it says',
    expiresAt: 'end of the token; null when it does not say',
    renewable: 'whether it is renewed by itself',
    addresses: 'addresses of the platform that are not the default',
    checked: 'whether the platform was asked and accepts it',
  },
  examples: ['whoami', 'whoami --check', 'whoami --json=project,expiresAt'],
});

/** What an address stands for: one variable sets several. */
function namesOf(addresses: Record<string, string>, address: string): string {
  const entries = Object.entries(addresses).filter(([, other]) => other === address);
  return entries.map(([name]) => name).join(', ');
}
