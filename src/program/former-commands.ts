/** Words that replace a name, or what makes the line of the arguments. */
export type CommandWords = string | ((...words: string[]) => readonly string[]);

/** Commands that gantry itself once had, or that people guess, and what to type. */
export const formerCommands: Record<string, CommandWords> = {
  users: 'team users',
  'users list': 'team users',
  'users invite': 'team invite',
  'service-accounts': 'team service-accounts',
  'service-accounts list': 'team service-accounts',
  'service-accounts grant': 'team grant',
  'service-accounts revoke': 'team revoke',
  'service-accounts set-grants': 'team grant',
  'api-keys': 'team api-keys',
  'api-keys list': 'team api-keys',
  'builds logs': (app = '', build = '', ...rest) => ['logs', app, '--build', build, ...rest],
  'runs logs': (app = '', run = 'latest', ...rest) => ['logs', app, '--run', run, ...rest],
  'builds archives': (app, ...rest) => ['cache', 'list', 'archives', ...(app ? ['--app', app] : []), ...rest],
  'cache info': 'cache list',
  'apps cost': 'cost',
  'plan cost': (...rest) => ['cost', '--all-apps', ...rest],
  'config schema': 'check --schema',
  'builds files': (...words) => ['builds', 'get', ...words, '--files'],
  'secrets import': (file = 'FILE', ...rest) => ['secrets', 'set', '--from-env-file', file, ...rest],
  'ci init': (system = 'github', ...rest) => ['init', '--ci', system, ...rest],
  'webhooks verify': () => ['webhooks', 'listen'],
  diff: () => ['deploy', '--dry-run'],
  'emulator status': 'emulator list',
  'previews delete': 'previews prune',
  'previews rm': 'previews prune',
};
