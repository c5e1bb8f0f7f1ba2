import type { ValueAtCursor } from './candidates.ts';
import type { PlatformName } from './name-keys.ts';

/** What a value is. `remote-path` is on a volume; `path` may be anywhere, `local` is on the disk. */
export type ValueKind =
  | PlatformName
  | 'local'
  | 'folder'
  | 'config-file'
  | 'path'
  | 'profile'
  | 'region'
  | 'setting'
  | 'compute'
  | 'role'
  | 'time-zone'
  | 'topic';

/** The kind of a value; undefined if nothing is known about it. */
export function kindOf({ value, flag, command }: ValueAtCursor): ValueKind | undefined {
  const place = flag === undefined ? `${command} ${value}` : `${flag} ${value}`;
  return byPlace[place] ?? byName[value];
}

/** By the name in the help. */
const byName: Record<string, ValueKind> = {
  file: 'local',
  command: 'local',
  dir: 'folder',
  app: 'app',
  build: 'build',
  run: 'run',
  project: 'project',
  profile: 'profile',
  region: 'region',
  setting: 'setting',
  zone: 'time-zone',
  topic: 'topic',
};

/** Names that mean other things elsewhere, by the command or the flag before them. */
const byPlace: Record<string, ValueKind> = {
  'ls path': 'remote-path',
  'cat path': 'remote-path',
  'rm path': 'remote-path',
  'volumes usage path': 'remote-path',
  'cp path': 'path',
  'sync source': 'path',
  'sync target': 'path',
  '--confirm paths': 'remote-path',
  '--confirm target': 'path',
  '--config-file file': 'config-file',
  'check path': 'local',
  'run file[::function]': 'local',
  'map args': 'local',
  '--file log': 'local',
  '--project id': 'project',
  '--run id': 'run',
  '--build id': 'build',
  '--container id': 'container',
  '--container name': 'container',
  '--confirm name': 'app',
  '--compute type': 'compute',
  '--role role': 'role',
  'secrets set name': 'secret',
  'secrets unset name': 'secret',
  'service-accounts grant id': 'service-account',
  'service-accounts revoke id': 'service-account',
  'service-accounts set-grants id': 'service-account',
  'reference command': 'topic',
};
