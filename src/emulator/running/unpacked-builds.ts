import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileNameOf } from '../model/state/data-folder.ts';
import type { BuildRecord } from '../model/state/records.ts';
import type { Store } from '../model/state/store.ts';
import type { Unpacked } from './archives.ts';
import type { ImageAudience, OwnContainers, OwnImage } from './processes/own-containers.ts';
import type { AttachedStorage, PersistentStorage } from './replicas/persistent-storage.ts';
import { ReplicaError } from './replicas/replica.ts';

interface UnpackOptions {
  store: Store;
  /** The folder of uploaded archives. */
  archives: string;
  /** Where apps are unpacked and run. */
  folder: string;
  storage: PersistentStorage;
  python: () => Promise<string | undefined>;
  containers: () => Promise<OwnContainers | undefined>;
}

interface UnpackedBuild {
  build: BuildRecord;
  folder: Promise<string>;
  /** What it shares with the next one. */
  contents?: Unpacked;
  storage?: AttachedStorage;
  /** The image of an app with a Dockerfile. */
  image?: OwnImage;
}

/**
 * The files of builds that replicas run, with the volumes that their code finds. Those of an app's latest build stay, and
 * others until nothing uses them any more: `gantry dev` makes hundreds.
 */
export class UnpackedBuilds {
  readonly #unpacked = new Map<string, UnpackedBuild>();
  readonly #removals = new Map<string, Promise<void>>();
  /** How many calls and replicas use a build. */
  readonly #users = new Map<string, number>();
  /** The build that started last, by app. */
  readonly #latest = new Map<string, BuildRecord>();

  constructor(private readonly options: UnpackOptions) {}

  /**
   * Unpacks a build's archive once, makes the app's volumes available to it, builds its image, and returns its folder. If
   * that fails, it is tried again next time.
   */
  unpack(build: BuildRecord, audience: ImageAudience): Promise<string> {
    const existing = this.#unpacked.get(build.id);
    if (existing) return existing.folder;
    const removed = this.#removals.get(build.id) ?? Promise.resolve();
    const unpacked: UnpackedBuild = { build, folder: removed.then(() => this.#unpack(unpacked, audience)) };
    this.#unpacked.set(build.id, unpacked);
    unpacked.folder.catch(() => this.remove(build));
    return unpacked.folder;
  }

  /** Keeps the files of a build until what is returned is called, once. */
  use(build: BuildRecord): () => void {
    this.#users.set(build.id, this.#usersOf(build) + 1);
    return () => {
      const left = this.#usersOf(build) - 1;
      if (left > 0) this.#users.set(build.id, left);
      else this.#users.delete(build.id);
      this.#removeUnused(build);
    };
  }

  /** Other builds of the app are needed by those that use them, and by nobody else. */
  setLatest(build: BuildRecord): void {
    const before = this.#latest.get(build.app);
    this.#latest.set(build.app, build);
    if (before) this.#removeUnused(before);
  }

  folderFor(app: string, name: string): string {
    return join(this.options.folder, fileNameOf(app), fileNameOf(name));
  }

  storageOf(build: BuildRecord): AttachedStorage {
    const storage = this.#unpacked.get(build.id)?.storage;
    if (!storage) throw new ReplicaError('its volumes are not available');
    return storage;
  }

  /** What its containers run; undefined for an app without a Dockerfile. */
  imageOf({ id }: BuildRecord): OwnImage | undefined {
    return this.#unpacked.get(id)?.image;
  }

  async removeApp(app: string): Promise<void> {
    const ofApp = [...this.#unpacked.values()].filter(({ build }) => build.app === app);
    this.#latest.delete(app);
    await Promise.all(ofApp.map(({ build }) => this.remove(build)));
  }

  async remove({ id, app }: BuildRecord): Promise<void> {
    const image = this.#unpacked.get(id)?.image;
    this.#unpacked.delete(id);
    // What cannot be removed now is removed when the emulator stops.
    const removed = rm(this.folderFor(app, id), { recursive: true, force: true }).catch(() => {});
    const removal = Promise.all([removed, image?.containers.removeImage(image)])
      .then(() => {})
      .finally(() => this.#removals.delete(id));
    this.#removals.set(id, removal);
    await removal;
  }

  /** The folders and images are removed by others. */
  async clear(): Promise<void> {
    this.#unpacked.clear();
    this.#latest.clear();
    await Promise.all(this.#removals.values());
  }

  #latestOf(app: string): UnpackedBuild | undefined {
    return this.#unpacked.get(this.#latest.get(app)?.id ?? '');
  }

  #usersOf({ id }: BuildRecord): number {
    return this.#users.get(id) ?? 0;
  }

  #removeUnused(build: BuildRecord): void {
    const latest = this.#latest.get(build.app);
    const isUnused = latest !== undefined && latest.id !== build.id && this.#usersOf(build) === 0;
    if (isUnused && this.#unpacked.has(build.id)) void this.remove(build);
  }

  async #unpack(unpacked: UnpackedBuild, audience: ImageAudience): Promise<string> {
    const { id, app, keyName, settings } = unpacked.build;
    const { archives, store, storage, python, containers } = this.options;
    const folder = this.folderFor(app, id);
    const { unpackZip } = await import('./archives.ts');
    const before = this.#latestOf(app)?.contents;
    unpacked.contents = await unpackZip(join(archives, keyName), folder, before).catch((cause: Error) => {
      throw new Error(`its archive cannot be unpacked: ${cause.message}`, { cause });
    });
    const record = store.apps.get(app);
    const interpreter = await python();
    const engine = settings.dockerfilePath ? await containers() : undefined;
    if (record && settings.dockerfilePath && engine) {
      unpacked.storage = storage.attachContainer(record);
      unpacked.image = await engine.buildImage(id, folder, settings.dockerfilePath, audience);
    } else if (record && interpreter) {
      unpacked.storage = await storage.attach(record, interpreter);
    }
    return folder;
  }
}
