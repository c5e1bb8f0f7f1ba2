import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { storedCredential } from '../../config/credentials.ts';
import { type Environment, readVariable } from '../../config/environment.ts';
import { storableSettings, withoutCredentials } from '../../config/setting-list.ts';
import { readStoredSettings, type Settings } from '../../config/settings.ts';
import { readRegularSync } from '../../disk/index.ts';
import type { GantryError } from '../../errors.ts';
import { closestName } from '../../project/toml/closest-name.ts';
import { type Check, errorCheck, failedCheck, okCheck, warningCheck } from './check.ts';

const minNode = [20, 19] as const;

/** Whether Node is one we run on: `20.19.0` and later. */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > minNode[0] || (major === minNode[0] && minor >= minNode[1]);
  if (enough) return okCheck('node', `Node ${version}`);
  return failedCheck('node', 'failed', `Node ${version} is too old`, `install Node ${minNode.join('.')} or later`);
}

/** Whether the settings can be read and are known, and where those come from that decide most. */
export function checkSettings(settings: Settings, refused: GantryError[]): Check[] {
  const problems = [
    ...refused.map((error) => errorCheck('settings', error)),
    ...checkReadable(join(settings.folders.config, 'config.json')),
    ...unknownKeys(settings.folders.config),
  ];
  if (problems.length > 0) return problems;
  const said = (['profile', 'project', 'region'] as const).map((name) => {
    const { value, origin } = settings[name];
    return value ? `${name} ${value} (${origin.replace(/^environment \((.+)\)$/, '$1')})` : `${name} not set`;
  });
  return [okCheck('settings', said.join(', '))];
}

/** Whether others can read what they should not, and whether we can write where we want to. */
export function checkFiles(settings: Settings, env: Environment): Check[] {
  const { folders } = settings;
  const problems: Check[] = [];
  storedCredential(settings, (message) => problems.push(warningCheck('files', message)));
  if (process.platform !== 'win32') {
    for (const path of [folders.config, join(folders.config, 'config.json')]) {
      if (fileMode(path) & 0o022)
        problems.push(warningCheck('files', `others can write ${path}`, `chmod go-w ${path}`));
    }
  }
  for (const [name, folder] of Object.entries(folders)) {
    if (isWritable(folder)) continue;
    const fix = readVariable(env, 'GANTRY_CONFIG_DIR') ? 'let GANTRY_CONFIG_DIR be' : 'set GANTRY_CONFIG_DIR to';
    const message = `the folder of ${name}, ${folder}, cannot be written: nothing can be stored there`;
    problems.push(warningCheck('files', message, `${fix} a folder that can be, if you need it`));
  }
  return problems.length > 0 ? problems : [okCheck('files', `settings are in ${folders.config}, which can be written`)];
}

/** Which proxy requests go through. A password in its address is not said. */
export function checkProxy({ proxy }: Settings): Check {
  if (!proxy) return okCheck('proxy', 'none');
  const ways = [
    proxy.https && `https through ${withoutCredentials(proxy.https.address)}`,
    proxy.http && `http through ${withoutCredentials(proxy.http.address)}`,
  ];
  const except = proxy.noProxy ? `, but not to ${proxy.noProxy}` : '';
  return okCheck('proxy', `${ways.filter(Boolean).join(', ')}${except}`);
}

function checkReadable(file: string): Check[] {
  try {
    readRegularSync(file);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!/^(ENOENT|ENOTDIR)$/.test(code))
      return [warningCheck('settings', `${file} is not read: ${message}`, `remove ${file}, or let it be read`)];
  }
  return [];
}

/** Keys of `config.json` that nothing reads: most likely a slip of the pen. */
function unknownKeys(folder: string): Check[] {
  const stored = readStoredSettings(folder, () => {});
  const profiles = Object.entries(Object(stored.profiles) as Record<string, object>);
  const odd = (keys: string[], known: string[], where: string) =>
    keys
      .filter((key) => !known.includes(key))
      .map((key) => {
        const meant = closestName(key, known);
        return warningCheck('settings', `"${key}" in ${where} is ignored`, meant && `did you mean ${meant}?`);
      });
  const file = join(folder, 'config.json');
  return [
    ...odd(Object.keys(stored), ['profile', 'profiles'], file),
    ...profiles.flatMap(([name, values]) =>
      odd(Object.keys(Object(values)), [...storableSettings.values()], `profile ${name} of ${file}`),
    ),
  ];
}

function fileMode(path: string): number {
  try {
    return statSync(path).mode;
  } catch {
    return 0;
  }
}

/** Whether a folder can be written, or made. */
function isWritable(folder: string): boolean {
  try {
    if (!statSync(folder).isDirectory()) return false;
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    const above = dirname(folder);
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && above !== folder && isWritable(above);
  }
}
