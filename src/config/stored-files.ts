import { join } from 'node:path';
import { makePrivateFolder, waitForLock } from '../disk/index.ts';
import { FailedError, GantryError } from '../errors.ts';
import type { Settings, StoredKey } from './settings.ts';

/** What to store in a profile, by its name in the file; undefined takes the value out. */
export type SettingChanges = { [Key in StoredKey]?: string | undefined };

/** Another process changes a file in moments, unless it waits for the platform to renew a token. */
const longestWaitMs = 70_000;

type Where = Pick<Settings, 'folders'>;
/** A JSON object as it lies on disk; what we do not know in it stays. */
type Stored = Record<string, unknown> & { profiles?: Record<string, Record<string, unknown>> };

/** Changes settings of one profile and creates the profile if necessary. Nothing else in the file changes. */
export async function storeSettings(settings: Where, profile: string, changes: SettingChanges): Promise<void> {
  await updateStoredFile(settings.folders.config, 'config', (stored: Stored) => {
    const values = Object.entries({ ...stored.profiles?.[profile], ...changes });
    const kept = Object.fromEntries(values.filter(([, value]) => value !== undefined));
    return { ...stored, profiles: { ...stored.profiles, [profile]: kept } };
  });
}

/** Makes a profile the one in use from now on. */
export async function useProfile(settings: Where, name: string): Promise<void> {
  await updateStoredFile(settings.folders.config, 'config', (stored) => ({ ...stored, profile: name }));
}

/** Forgets a profile's settings; when it was in use, `default` is again. Its token is not kept here. */
export async function removeProfile(settings: Where, name: string): Promise<void> {
  await updateStoredFile(settings.folders.config, 'config', ({ profile, ...stored }: Stored) => {
    const { [name]: _, ...profiles } = stored.profiles ?? {};
    return { ...stored, ...(profile === undefined || profile === name ? {} : { profile }), profiles };
  });
}

/**
 * Reads, changes and writes `<name>.json` in the folder of settings: atomically, readable by its owner only (0600, in a
 * folder that is made with 0700), one process after the other. Throws FailedError, with the way out, where it cannot be
 * written.
 */
export async function updateStoredFile(
  folder: string,
  name: 'config' | 'credentials',
  change: (stored: Stored) => Stored | Promise<Stored>,
): Promise<void> {
  const file = join(folder, `${name}.json`);
  try {
    makePrivateFolder(folder);
    const [{ default: Conf }, lock] = await Promise.all([import('conf'), waitForLock(`${file}.lock`, longestWaitMs)]);
    if (!lock) throw new Error('another gantry is changing it');
    try {
      const conf = new Conf({ cwd: folder, configName: name, configFileMode: 0o600 });
      conf.store = await change(conf.store);
    } finally {
      lock.release();
    }
  } catch (cause) {
    throw cause instanceof GantryError ? cause : notWritten(file, name, cause);
  }
}

function notWritten(file: string, name: 'config' | 'credentials', cause: unknown): FailedError {
  if (cause instanceof SyntaxError) {
    return new FailedError(`${file} is not valid JSON: nothing was changed`, { fix: `mend or remove ${file}`, cause });
  }
  const instead = name === 'config' ? 'GANTRY_PROJECT, GANTRY_REGION and their like' : 'GANTRY_TOKEN';
  return new FailedError(`${file} could not be written: nothing was changed`, {
    why: cause instanceof Error ? cause.message : String(cause),
    fix: `set ${instead} in the environment instead, or GANTRY_CONFIG_DIR to a folder that can be written`,
    cause,
  });
}
