import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packingFolder } from '../../app/packing-cache/index.ts';
import { archiveFolders } from '../../deploys/archives/index.ts';
import type { Fix } from '../../kernel/command-line.ts';
import { findWritableByOthers, readRegularSync } from '../../kernel/disk/index.ts';
import { type Environment, readVariable } from '../../kernel/environment.ts';
import { type ExitName, type GantryError, systemCode } from '../../kernel/errors.ts';
import { storedCredential } from '../../platform/config/credentials.ts';
import { withoutCredentials } from '../../platform/config/setting-list.ts';
import { defaultRegion } from '../../platform/config/setting-values.ts';
import type { Settings } from '../../platform/config/settings.ts';

export interface Check {
  check: string;
  status: 'ok' | 'warning' | 'failed';
  message: string;
  why?: string | undefined;
  fix?: Fix | undefined;
  code?: ExitName;
}

export function okCheck(check: string, message: string): Check {
  return { check, status: 'ok', message };
}

export function warningCheck(check: string, message: string, fix?: Fix): Check {
  return { check, status: 'warning', message, fix };
}

export function failedCheck(check: string, code: ExitName, message: string, fix?: Fix): Check {
  return { check, status: 'failed', message, fix, code };
}

/** A failed check with the texts of an error. */
export function errorCheck(check: string, { exit, message, facts }: GantryError): Check {
  return { ...failedCheck(check, exit, message, facts.fix), why: facts.why };
}

/** Checks that settings are valid, and shows the origin of the main ones. */
export function checkSettings(settings: Settings, invalid: GantryError[]): Check[] {
  const problems = [
    ...invalid.map((error) => errorCheck('settings', error)),
    ...checkReadable(join(settings.folders.config, 'config.json')),
  ];
  if (problems.length > 0) return problems;
  const summary = (['profile', 'project', 'region'] as const).map((name) => {
    const { value, origin } = settings[name];
    if (value) return `${name} ${value} (${origin.replace(/^environment \((.+)\)$/, '$1')})`;
    return name === 'region' ? `region ${defaultRegion} (default)` : `${name} not set`;
  });
  return [okCheck('settings', summary.join(', '))];
}

/** Checks the permissions of the settings files and that gantry's folders are writable. */
export function checkFiles(settings: Settings, env: Environment): Check[] {
  const { folders } = settings;
  const problems: Check[] = [];
  storedCredential(settings, (message) => problems.push(warningCheck('files', message)));
  const trusted = [join(folders.config, 'config.json'), packingFolder(folders.cache), ...archiveFolders(folders.state)];
  for (const path of [folders.config, ...trusted]) {
    if (findWritableByOthers(path))
      problems.push(warningCheck('files', `other users can write ${path}`, `chmod go-w ${path}`));
  }
  for (const [name, folder] of Object.entries(folders)) {
    if (isWritable(folder)) continue;
    const fix = readVariable(env, 'GANTRY_CONFIG_DIR') ? 'change GANTRY_CONFIG_DIR to' : 'set GANTRY_CONFIG_DIR to';
    const message = `the ${name} folder, ${folder}, is not writable: nothing can be stored there`;
    problems.push(warningCheck('files', message, `${fix} a writable folder if you need it`));
  }
  return problems.length > 0 ? problems : [okCheck('files', `settings are stored in ${folders.config}`)];
}

/** Shows the proxy, without its password. */
export function checkProxy({ proxy }: Settings): Check {
  if (!proxy) return okCheck('proxy', 'none');
  const parts = [
    proxy.https && `https via ${withoutCredentials(proxy.https.address)}`,
    proxy.http && `http via ${withoutCredentials(proxy.http.address)}`,
  ];
  const except = proxy.noProxy ? `, except ${proxy.noProxy}` : '';
  return okCheck('proxy', `${parts.filter(Boolean).join(', ')}${except}`);
}

function checkReadable(file: string): Check[] {
  try {
    readRegularSync(file);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!/^(ENOENT|ENOTDIR)$/.test(code))
      return [warningCheck('settings', `cannot read ${file}: ${message}`, `fix its permissions or remove it: ${file}`)];
  }
  return [];
}

/** Whether a folder is writable or can be created. */
function isWritable(folder: string): boolean {
  try {
    if (!statSync(folder).isDirectory()) return false;
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    const above = dirname(folder);
    return systemCode(error) === 'ENOENT' && above !== folder && isWritable(above);
  }
}
