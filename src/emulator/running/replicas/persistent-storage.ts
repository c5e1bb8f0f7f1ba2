import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppRecord } from '../../model/state/records.ts';
import { outputOf } from '../processes/process.ts';
import { pythonFile, startModules } from '../processes/python-files.ts';
import type { VolumeStore } from '../volumes/volume-store.ts';

/** Volumes by the path where apps find them (docs/platform.md#volumes). */
type StorageFolders = Record<string, string>;

/**
 * How apps get their volumes at `/persistent-storage`: mounted in a namespace of their own, or by rewriting the paths that Python code opens.
 */
export type StorageAccess = 'mount' | 'rewrite';

/** The volumes of an app, for its processes. */
export interface AttachedStorage {
  folders: StorageFolders;
  environment: Record<string, string>;
  /** How it works where only Python code sees the volumes, for the log of a build. */
  note?: string;
  /** The command that runs a program with access to the volumes. */
  launch(program: string, args: string[]): { command: string; args: string[] };
}

interface PersistentStorageOptions {
  volumes: VolumeStore;
  /** For temporary files. */
  scratch: string;
  /** The best that works here, unless it is given. */
  access?: StorageAccess | undefined;
}

export class PersistentStorage {
  constructor(private readonly options: PersistentStorageOptions) {}

  /** Puts the files of an app's volumes where its processes can use them. */
  async attach(app: AppRecord, python: string): Promise<AttachedStorage> {
    const { settings } = app;
    const folders = this.#foldersOf(app);
    const access = this.options.access ?? ((await canMount(python, this.options.scratch)) ? 'mount' : 'rewrite');
    return access === 'mount' ? this.#mounted(folders, python) : this.#rewritten(folders, settings.region);
  }

  /** For a container, whose engine mounts the folders. */
  attachContainer(app: AppRecord): AttachedStorage {
    return inPlace(this.#foldersOf(app));
  }

  #foldersOf({ project, settings }: AppRecord): StorageFolders {
    const { volumes } = this.options;
    return {
      [volumePath]: volumes.volume({ project, region: settings.region }).path,
      [globalPath]: volumes.volume({ project, region: 'global' }).path,
    };
  }

  async #mounted(folders: StorageFolders, python: string): Promise<AttachedStorage> {
    const launcher = await createLauncher(folders, this.options.scratch);
    return {
      ...inPlace(folders),
      launch: (program, args) => ({ command: python, args: [...launcher, program, ...args] }),
    };
  }

  async #rewritten(folders: StorageFolders, region: string): Promise<AttachedStorage> {
    const modules = startModules(join(this.options.scratch, `storage-${randomUUID()}`), {}, ['persistent_storage']);
    await writeFile(join(modules, 'folders.json'), JSON.stringify(folders));
    const folder = folders[volumePath] ?? '';
    const where = `${volumePath} is the volume default in ${region} for Python code`;
    const note = `${where}; other programs find it in $PERSISTENT_STORAGE: ${folder}`;
    return { ...inPlace(folders), note, environment: { ...environmentFor(folder), PYTHONPATH: modules } };
  }
}

const volumePath = '/persistent-storage';
const globalPath = '/global-persistent-storage';

/** Where the volumes are at their paths, or what runs a program puts them there. */
function inPlace(folders: StorageFolders): AttachedStorage {
  const environment = environmentFor(volumePath);
  return { folders, environment, launch: (command, args) => ({ command, args }) };
}

function environmentFor(folder: string): Record<string, string> {
  return { PERSISTENT_STORAGE: folder, HF_HOME: join(folder, '.cache/huggingface') };
}

async function createLauncher(folders: StorageFolders, scratch: string): Promise<string[]> {
  const root = join(scratch, 'root');
  await mkdir(root, { recursive: true, mode: 0o700 });
  return ['-I', '-S', pythonFile('emulator/running/replicas/persistent_storage.py'), JSON.stringify({ root, folders })];
}

/** Whether this user may create mount namespaces. The same for every emulator of this process. */
async function canMount(python: string, scratch: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const args = await createLauncher({ [volumePath]: scratch }, scratch);
  namespaces ??= outputOf([python, ...args, 'true']).then((output) => output !== undefined);
  return namespaces;
}

let namespaces: Promise<boolean> | undefined;
