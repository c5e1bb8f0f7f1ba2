import { join } from 'node:path';
import { makePrivateFolder, waitForLock } from '../../kernel/disk/index.ts';
import { FailedError, GantryError } from '../../kernel/errors.ts';
import { defined } from '../../kernel/json-text.ts';
import type { Settings, StoredKey } from './settings.ts';

export type SettingChanges = { [Key in StoredKey]?: string | undefined };

/** Other processes hold the lock briefly, except while they renew a token. */
const maxLockWaitMs = 70_000;

type FolderSettings = Pick<Settings, 'folders'>;
/** In the state folder: `targets`, where deploys went, and `pulls`, where weights did. */
type StoredFile = 'config' | 'credentials' | 'targets' | 'pulls';
type Stored = Record<string, unknown> & { profiles?: Record<string, Record<string, unknown>> };

export async function storeSettings(settings: FolderSettings, profile: string, changes: SettingChanges): Promise<void> {
  await updateStoredFile(settings.folders.config, 'config', (stored: Stored) => {
    const values = Object.entries({ ...stored.profiles?.[profile], ...changes });
    const kept = Object.fromEntries(values.filter(([, value]) => value !== undefined));
    return { ...stored, profiles: { ...stored.profiles, [profile]: kept } };
  });
}

export async function useProfile(settings: FolderSettings, name: string): Promise<void> {
  await updateStoredFile(settings.folders.config, 'config', (stored) => ({ ...stored, profile: name }));
}

export async function bindFolder(settings: FolderSettings, folder: string, profile: string | undefined): Promise<void> {
  await updateStoredFile(settings.folders.config, 'config', (stored) => {
    const { [folder]: _, ...others } = Object(stored.folders) as Record<string, string>;
    return { ...stored, folders: profile === undefined ? others : { ...others, [folder]: profile } };
  });
}

/** Removes a profile's settings and folders, but not its token. If it was in use, switches to `default`. */
export async function removeProfile(settings: FolderSettings, name: string): Promise<void> {
  await updateStoredFile(settings.folders.config, 'config', ({ profile, folders, ...stored }: Stored) => {
    const { [name]: _, ...profiles } = stored.profiles ?? {};
    const bound = Object.entries(Object(folders)).filter(([, other]) => other !== name);
    const kept = { folders: folders && Object.fromEntries(bound), profile: profile === name ? undefined : profile };
    return { ...stored, ...defined(kept), profiles };
  });
}

/** Atomically, under a lock, with mode 0600 in a folder of 0700. Throws FailedError. */
export async function updateStoredFile(
  folder: string,
  name: StoredFile,
  change: (stored: Stored) => Stored | Promise<Stored>,
): Promise<void> {
  const file = join(folder, `${name}.json`);
  try {
    makePrivateFolder(folder);
    const [{ default: Conf }, lock] = await Promise.all([import('conf'), waitForLock(`${file}.lock`, maxLockWaitMs)]);
    if (!lock) throw new Error('another gantry process is changing it');
    try {
      const conf = new Conf({ cwd: folder, configName: name, configFileMode: 0o600 });
      conf.store = await change(conf.store);
    } finally {
      lock.release();
    }
  } catch (cause) {
    throw cause instanceof GantryError ? cause : writeError(file, name, cause);
  }
}

function writeError(file: string, name: StoredFile, cause: unknown): FailedError {
  if (cause instanceof SyntaxError) {
    return new FailedError(`${file} is not valid JSON: nothing was changed`, {
      fix: `correct or remove ${file}`,
      cause,
    });
  }
  const variables = name === 'config' ? 'GANTRY_PROJECT, GANTRY_REGION and so on' : 'GANTRY_TOKEN';
  return new FailedError(`cannot write ${file}: nothing was changed`, {
    why: cause instanceof Error ? cause.message : String(cause),
    fix: `set ${variables} in the environment instead, or GANTRY_CONFIG_DIR to a writable folder`,
    cause,
  });
}
