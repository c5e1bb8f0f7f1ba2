import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Script } from './script.ts';
import type { Account } from './seed.ts';
import type { Settings } from './settings.ts';

/** All times are milliseconds since 1970. */
export interface AppRecord {
  /** `<project>-<name>` */
  id: string;
  name: string;
  project: string;
  /** Made by a one-off run (spec 2.5). */
  ephemeral?: boolean;
  createdAt: number;
  updatedAt: number;
  settings: Settings;
}

/**
 * Only what happened is kept: where a build stands now is read from its script and the clock (`timeline.ts`).
 * So nothing has to be woken up to move it on, and nothing is lost by a restart.
 */
export interface BuildRecord {
  id: string;
  /** Id of its app. */
  app: string;
  createdAt: number;
  /** Those of its own deploy: a later deploy of the app changes nothing here. */
  settings: Settings;
  /** Where its archive is in object storage. */
  keyName: string;
  /** Registries the deploy sent a login for. The login itself is not kept. */
  registries: string[];
  /** When its archive had arrived; absent while we wait for it. */
  startedAt?: number;
  cancelledAt?: number;
  /** Milliseconds each scene of the script takes. */
  pace: number;
  script: Script;
}

/** What the platform remembers. With a file it survives a restart, signing key included. */
export class Store {
  projects: string[] = [];
  readonly apps = new Map<string, AppRecord>();
  readonly builds = new Map<string, BuildRecord>();
  /** Keys, people and payment, by project; seeded when first looked at. */
  readonly accounts = new Map<string, Account>();
  /** Signs tokens and upload links. */
  key = randomBytes(32).toString('base64url');
  #idsGiven = 0;
  readonly #file: string | undefined;

  constructor(file?: string) {
    this.#file = file;
    if (file) this.#load(file);
  }

  /** The same ids in the same order on every run: what a test or a demo shows today, it shows tomorrow. */
  newId(): string {
    this.#idsGiven += 1;
    const digest = createHash('sha256').update(`${this.projects[0]}/${this.#idsGiven}`).digest('hex');
    return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
  }

  /** An app's builds, newest first. */
  buildsOf(app: string): BuildRecord[] {
    return [...this.builds.values()].filter((build) => build.app === app).reverse();
  }

  /** To be called after every change. The file is replaced whole, so that a crash leaves the old one. */
  save(): void {
    if (!this.#file) return;
    const { projects, key } = this;
    const memory = {
      ...{ projects, key, idsGiven: this.#idsGiven },
      ...{ apps: [...this.apps.values()], builds: [...this.builds.values()] },
      accounts: Object.fromEntries(this.accounts),
    };
    writeFileSync(`${this.#file}.new`, JSON.stringify(memory, null, 2), { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
  }

  /** Forgets apps, builds and accounts. Projects stay, and so do tokens and ids: none is given twice. */
  clear(): void {
    this.apps.clear();
    this.builds.clear();
    this.accounts.clear();
    this.save();
  }

  #load(file: string): void {
    const memory = readMemory(file);
    if (!memory) return;
    this.projects = memory.projects;
    this.key = memory.key;
    this.#idsGiven = memory.idsGiven;
    for (const app of memory.apps) this.apps.set(app.id, app);
    for (const build of memory.builds) this.builds.set(build.id, build);
    for (const [project, account] of Object.entries(memory.accounts ?? {})) this.accounts.set(project, account);
  }
}

interface Memory {
  projects: string[];
  key: string;
  idsGiven: number;
  apps: AppRecord[];
  builds: BuildRecord[];
  accounts?: Record<string, Account>;
}

function readMemory(file: string): Memory | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`the emulator's state in ${file} cannot be read`, { cause });
  }
}
