import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getDotPath, parse, ValiError } from 'valibot';
import { after } from '../../../kernel/clock.ts';
import { writeFileAtomicSync } from '../../../kernel/disk/index.ts';
import { attempt, systemCode } from '../../../kernel/errors.ts';
import { refuse } from '../../http/reply.ts';
import { DamagedDataError } from './data-folder.ts';
import {
  type Account,
  type AppRecord,
  type BuildRecord,
  type DeviceRecord,
  type ReplicaPeriod,
  type ReplicaRecord,
  type RunRecord,
  State,
  stateVersion,
} from './records.ts';

/** The platform's state. With a file it survives a restart, except for tokens, logins and signed URLs. */
export class Store {
  projects: string[] = [];
  readonly apps = new Map<string, AppRecord>();
  readonly builds = new Map<string, BuildRecord>();
  /** Recorded runs. Those of seeded apps are generated on demand (`seed/traffic.ts`). */
  readonly runs = new Map<string, RunRecord>();
  /** Those whose process ran here, and has ended, by name. */
  readonly replicas = new Map<string, ReplicaRecord>();
  /** Accounts by project; seeded on first access. */
  readonly accounts = new Map<string, Account>();
  /** Names and values, by the id of the project or app they belong to. */
  readonly secrets = new Map<string, Record<string, string>>();
  /** Secrets of the file that `gantry dev` is given. They hide those of the same names, and are not kept. */
  givenSecrets: Readonly<Record<string, string>> = {};
  /** In GB, by `project/region`: of volumes that were made larger. */
  readonly volumeSizes = new Map<string, number>();
  /** Pending logins, by device code. */
  readonly devices = new Map<string, DeviceRecord>();
  /** Users by refresh token. */
  readonly sessions = new Map<string, string>();
  /**
   * Signs tokens and URLs, and derives the secret that approves logins. New at each start: while the emulator was
   * stopped, another local user may have listened on its port and collected what clients and browsers sent.
   */
  readonly key = randomBytes(32).toString('base64url');
  /** The key of the previous start, to tell expired signatures from invalid ones. */
  previousKey: string | undefined;
  /** Where it listened last, with its data in this folder. A copy of the data is another platform. */
  listened: State['listened'];
  #idCount = 0;
  /** Whether projects have users, keys and invoices as in use. */
  hasAccount = true;
  /** Whether no earlier state was loaded. */
  readonly isNew: boolean;

  readonly #file: StateFile | undefined;

  /** Starts with the state of the file, if it exists. */
  constructor(file?: string) {
    this.#file = file === undefined ? undefined : new StateFile(file, () => this.serialize());
    const state = file === undefined ? undefined : readState(file);
    this.isNew = state === undefined;
    if (state) this.#fill(state);
    this.listened = state?.listened;
  }

  /** Returns the same ids in the same order on every start without a state, so that tests and demos are reproducible. */
  newId(): string {
    this.#idCount += 1;
    return idFrom(`${this.projects[0]}/${this.#idCount}`);
  }

  /** Records a run; by default a POST to the function `run` that starts immediately and does not end. */
  addRun(run: Partial<RunRecord> & Pick<RunRecord, 'app' | 'createdAt'>): RunRecord {
    const defaults = {
      id: this.newId(),
      functionName: 'run',
      method: 'POST',
      async: false,
      container: `${run.app}-1`,
      pendingMs: 0,
      proxyQueueMs: 0,
      containerQueueMs: 0,
      coldstartMs: 0,
    };
    const recorded = { ...defaults, ...run };
    this.runs.set(recorded.id, recorded);
    this.saveSoon();
    return recorded;
  }

  /** An ended replica is billed, unless it is of a state before this one. */
  addReplica(replica: ReplicaRecord): void {
    if (this.builds.has(replica.build)) this.replicas.set(replica.name, replica);
    this.saveSoon();
  }

  /** An app's builds, newest first. */
  getAppBuilds(app: string): BuildRecord[] {
    return [...this.builds.values()].filter((build) => build.app === app).reverse();
  }

  /** Must be called after every change, or {@link saveSoon}. Replaces the file atomically. */
  save(): void {
    this.#file?.write();
  }

  /** After what calls of apps change: an emulator that is killed loses the last of it. */
  saveSoon(): void {
    this.#file?.writeSoon();
  }

  /** The state as its file has it. */
  serialize(): string {
    const { projects, listened, key } = this;
    const records = collections.map((name) => [name, Object.fromEntries<unknown>(this[name])]);
    const state = {
      version: stateVersion,
      projects,
      listened,
      key,
      idsGiven: this.#idCount,
      ...Object.fromEntries(records),
    };
    return JSON.stringify(state, null, 2);
  }

  /** Deletes everything except projects, sessions and the signing key. Ids are not reused. */
  clear(): void {
    this.#empty();
    this.save();
  }

  /** {@link clear}, then the state of {@link readState}. */
  replace(state: State): void {
    this.#empty();
    this.#fill(state);
    this.save();
  }

  #empty(): void {
    for (const name of collections) this[name].clear();
  }

  #fill(state: State): void {
    this.projects = state.projects;
    if (state.key !== this.key) this.previousKey = state.key;
    this.#idCount = Math.max(this.#idCount, state.idsGiven + idsAhead);
    for (const name of collections) {
      const records: Map<string, unknown> = this[name];
      for (const [id, record] of Object.entries(state[name])) records.set(id, record);
    }
  }
}

/** What is stored, by id: of projects the accounts, of projects and apps the secrets. */
const collections = ['apps', 'builds', 'runs', 'replicas', 'accounts', 'secrets', 'volumeSizes'] as const;

/** More than an emulator that was killed gave after its state was written: none of them is given again. */
const idsAhead = 1_000_000;

/** An id, equal for equal texts. */
export function idFrom(text: string): string {
  return hash('sha256', text).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}

/** Undefined if the file does not exist. Throws a `DamagedDataError` if it cannot be used. */
export function readState(file: string): State | undefined {
  try {
    return parse(State, JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw new DamagedDataError(file, reasonOf(cause as Error), cause);
  }
}

function reasonOf(error: Error): string {
  if (!(error instanceof ValiError)) return error instanceof SyntaxError ? 'it is not valid JSON' : error.message;
  const [issue] = error.issues;
  return `${getDotPath(issue) ?? 'the document'}: ${issue.message}`;
}

/** A file that is replaced when its content has changed: at once, or soon for what changes with each call of an app. */
class StateFile {
  #stopTimer: (() => void) | undefined;
  #lastMs = 0;

  constructor(
    private readonly path: string,
    private readonly serialize: () => string,
  ) {}

  write(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const started = performance.now();
    writeFileAtomicSync(this.path, this.serialize());
    this.#lastMs = performance.now() - started;
  }

  /** What cannot be written then is written with the next change, or at the end. */
  writeSoon(): void {
    const pauseMs = Math.max(minPauseMs, this.#lastMs * pauseFactor);
    this.#stopTimer ??= after(pauseMs, () => attempt(() => this.write()), { background: true });
  }
}

const minPauseMs = 250;
/** The emulator spends a twentieth of its time on writing, however long that takes. */
const pauseFactor = 20;

/** What the platform knows, and the clock by which it is read. */
export interface Model {
  readonly store: Store;
  /** Milliseconds since 1970. The only clock of the emulator's state, so that a test can move it. */
  readonly now: () => number;
  /** Replicas whose process runs here. */
  readonly running: (app: AppRecord) => readonly ReplicaPeriod[];
}

/** Refuses with 404 if the project has no app with this id. */
export function findApp(store: Store, { project, app }: { project: string; app: string }): AppRecord {
  const record = store.apps.get(app);
  return record?.project === project ? record : refuse(404, `app ${app} not found`);
}

/** Refuses with 404 if the app has no build with this id. */
export function findBuild(store: Store, params: { project: string; app: string; build: string }): BuildRecord {
  const { id } = findApp(store, params);
  const build = store.builds.get(params.build);
  return build?.app === id ? build : refuse(404, `build ${params.build} not found`);
}
