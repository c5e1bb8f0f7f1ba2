import { platformExits } from '../../kernel/errors.ts';
import { timeLeft } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { keyValueTable } from '../../kernel/output/table.ts';
import { readIdentity } from '../../team/account/index.ts';
import { defineCommand } from '../command.ts';
import { boolean, document, nullable, record, text } from '../result-schema.ts';
import { noProject } from '../views/status.ts';

export default defineCommand({
  configure: (command) => command.option('--verify', 'verify the token with the platform'),
  run: (context, { verify }) => readIdentity(context, { verify: verify === true }),
  view: identityView,
  effect: 'reads',
  local: true,
  exits: platformExits,
  json: document({
    project: nullable(text('project in use'), 'none is selected'),
    projectOrigin: nullable(text('origin of the project: flag, environment, profile or token')),
    target: text('project and platform, as every command that changes something names them'),
    platform: text('emulator, or the host of the management API'),
    platformOrigin: text('origin of the platform: flag, environment, folder, profile or default'),
    region: nullable(text('region in use'), 'none is selected'),
    regionOrigin: nullable(text('origin of the region')),
    profile: text('profile in use'),
    profileOrigin: text('origin of the profile: flag, environment, folder, profile or default'),
    tokenOrigin: text('origin of the token: environment or profile'),
    unusedToken: nullable(text('origin of a stored token that is not in use')),
    kind: text('login or service-account'),
    user: nullable(text('user of the token, if known')),
    expiresAt: nullable(text('expiry of the token'), 'not known'),
    renewable: boolean('whether it is renewed automatically'),
    addresses: record(text('URL'), 'URLs of the platform that are not the default'),
    verified: boolean('whether the platform verified the token'),
  }),
  examples: ['whoami', 'whoami --verify', 'whoami --json=project,expiresAt'],
});

function identityView(who: Awaited<ReturnType<typeof readIdentity>>): View {
  const { target, project, region, profile, unusedToken, expiresAt, addresses } = who;
  const ofSetting = /^(flag|env|folder)/.test(who.profileOrigin) ? `, from the ${who.profileOrigin}` : '';
  return keyValueTable([
    ['user', who.user],
    ['kind', who.kind === 'login' ? 'login' : 'service account'],
    ['project', project ? `${target}, from the ${who.projectOrigin}` : noProject],
    ['region', region && `${region}, from the ${who.regionOrigin}`],
    ['profile', `${profile}${ofSetting}`],
    ['token', who.tokenOrigin],
    ['unused', unusedToken && `${unusedToken}: the environment takes precedence`],
    ['expires', expiresAt ? timeLeft(expiresAt) : 'unknown'],
    ['renewed', who.renewable ? 'automatically' : ''],
    ['verified', who.verified ? 'yes' : 'no: pass --verify to ask the platform'],
    ...[...new Set(Object.values(addresses))].map((address): [string, string] => [
      'address',
      `${address} (${namesOf(addresses, address)})`,
    ]),
  ]);
}

/** The names of a URL's settings: one variable sets several. */
function namesOf(addresses: Record<string, string>, address: string): string {
  const entries = Object.entries(addresses).filter(([, other]) => other === address);
  return entries.map(([name]) => name).join(', ');
}
