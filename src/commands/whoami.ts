import { defineCommand } from '../command.ts';
import { readIdentity } from '../operations/account/index.ts';
import { timeLeft } from '../output/format.ts';
import { keyValueTable } from '../output/table.ts';

export default defineCommand({
  configure: (command) => command.option('--check', 'verify the token with the platform'),
  run: (context, { check }) => readIdentity(context, { check: check === true }),
  view: ({ project, projectOrigin, profile, origin, unused, kind, user, expiresAt, renewable, addresses, checked }) =>
    keyValueTable([
      ['user', user],
      ['kind', kind === 'login' ? 'login' : 'service account'],
      ['project', project ? `${project}, from the ${projectOrigin}` : 'none: run gantry projects use p-…'],
      ['profile', profile],
      ['token', origin],
      ['unused', unused && `${unused}: the environment takes precedence`],
      ['expires', expiresAt ? timeLeft(expiresAt) : 'unknown'],
      ['renewed', renewable ? 'automatically' : ''],
      ['accepted', checked ? 'yes' : ''],
      ...[...new Set(Object.values(addresses))].map((address): [string, string] => [
        'address',
        `${address} (${namesOf(addresses, address)})`,
      ]),
    ]),
  json: {
    project: 'project in use; null if none is selected',
    projectOrigin: 'origin of the project: flag, environment, profile or token',
    profile: 'profile in use',
    origin: 'origin of the token: environment or profile',
    unused: 'origin of a stored token that is not in use',
    kind: 'login or service-account',
    user: 'user of the token, if known',
    expiresAt: 'expiry of the token; null if unknown',
    renewable: 'whether it is renewed automatically',
    addresses: 'URLs of the platform that are not the default',
    checked: 'whether the platform verified the token',
  },
  examples: ['whoami', 'whoami --check', 'whoami --json=project,expiresAt'],
});

/** The names of a URL's settings: one variable sets several. */
function namesOf(addresses: Record<string, string>, address: string): string {
  const entries = Object.entries(addresses).filter(([, other]) => other === address);
  return entries.map(([name]) => name).join(', ');
}
