import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getDotPath, parse, ValiError } from 'valibot';
import type { AppCreation } from '../../contract/apps.ts';
import { writeWholeSync } from '../../disk/index.ts';
import { withDefaults } from '../apps/settings.ts';
import { DamagedDataError } from './damaged.ts';
import type { Account, AppRecord, BuildRecord, DeviceRecord, Incident, RunRecord, SessionRecord } from './records.ts';
import { State, stateVersion } from './schema.ts';

/** What the platform remembers. With a file it survives a restart, but tokens, logins and links do not. */
export class Store {
  projects: string[] = [];
  readonly apps = new Map<string, AppRecord>();
  readonly builds = new Map<string, BuildRecord>();
  /** Calls that were recorded. Those of a seeded app are made up on demand, see `traffic.ts`. */
  readonly runs = new Map<string, RunRecord>();
  /** Keys, people and payment, by project; seeded when first looked at. */
  readonly accounts = new Map<string, Account>();
  /** Names and values, by the id of the project or the app they belong to. */
  readonly secrets = new Map<string, Record<string, string>>();
  /** What the status page tells of, the latest last. */
  incidents: Incident[] = [];
  /** Logins under way, by device code. */
  readonly devices = new Map<string, DeviceRecord>();
  /** Who is logged in, by refresh token. */
  readonly sessions = new Map<string, SessionRecord>();
  /**
   * Signs tokens and links, and makes the secret that approves logins. It is new at each start: while the emulator was
   * down, another user of this machine may have listened on its port and collected what clients and browsers sent.
   */
  readonly key = randomBytes(32).toString('base64url');
  /** The key of the start before: what it signed is told from what nobody signed. */
  formerKey: string | undefined;
  #idsGiven = 0;
  readonly #file: string | undefined;
  /** Whether it remembers nothing of an earlier start. */
  readonly isNew: boolean;

  constructor(file?: string) {
    this.#file = file;
    this.isNew = !file || !this.#load(file);
  }

  /** The same ids in the same order on every run: what a test or a demo shows today, it shows tomorrow. */
  newId(): string {
    this.#idsGiven += 1;
    const digest = createHash('sha256').update(`${this.projects[0]}/${this.#idsGiven}`).digest('hex');
    return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
  }

  /** Records a call of an app: one to `run` that begins at once and does not end, where nothing else is said. */
  addRun(run: Partial<RunRecord> & Pick<RunRecord, 'app' | 'createdAt'>): RunRecord {
    const usual = {
      ...{ id: this.newId(), functionName: 'run', method: 'POST', async: false, container: `${run.app}-1` },
      ...{ pendingMs: 0, proxyQueueMs: 0, containerQueueMs: 0, coldstartMs: 0 },
    };
    const recorded = { ...usual, ...run };
    this.runs.set(recorded.id, recorded);
    this.save();
    return recorded;
  }

  /** An app's builds, newest first. */
  getAppBuilds(app: string): BuildRecord[] {
    return [...this.builds.values()].filter((build) => build.app === app).reverse();
  }

  /** To be called after every change. The file is replaced whole, so that a crash leaves the old one. */
  save(): void {
    if (!this.#file) return;
    const { projects, key } = this;
    const memory = {
      version: stateVersion,
      ...{ projects, key, idsGiven: this.#idsGiven },
      ...{ apps: [...this.apps.values()], builds: [...this.builds.values()] },
      runs: [...this.runs.values()],
      accounts: Object.fromEntries(this.accounts),
      ...{ secrets: [...this.secrets], incidents: this.incidents },
    };
    writeWholeSync(this.#file, JSON.stringify(memory, null, 2), { mode: 0o600 });
  }

  /** Forgets apps, builds, runs and accounts. Projects stay, and so do tokens and ids: none is given twice. */
  clear(): void {
    this.apps.clear();
    this.builds.clear();
    this.runs.clear();
    this.accounts.clear();
    this.secrets.clear();
    this.incidents = [];
    this.save();
  }

  #load(file: string): boolean {
    const memory = readState(file);
    if (!memory) return false;
    this.projects = memory.projects;
    this.formerKey = memory.key;
    this.#idsGiven = memory.idsGiven;
    for (const app of memory.apps) this.apps.set(app.id, app);
    for (const build of memory.builds) this.builds.set(build.id, build);
    for (const run of memory.runs) this.runs.set(run.id, run);
    for (const [project, account] of Object.entries(memory.accounts)) this.accounts.set(project, account);
    for (const [owner, secrets] of memory.secrets) this.secrets.set(owner, secrets);
    this.incidents = memory.incidents;
    return true;
  }
}

interface PersistedState {
  projects: string[];
  key: string;
  idsGiven: number;
  apps: AppRecord[];
  builds: BuildRecord[];
  runs: RunRecord[];
  accounts: Record<string, Account>;
  secrets: [owner: string, secrets: Record<string, string>][];
  incidents: Incident[];
}

/** Reads the state; undefined when there is none. Throws a `DamagedDataError` when it is not the state of an emulator. */
function readState(file: string): PersistedState | undefined {
  try {
    const state = parse(State, JSON.parse(readFileSync(file, 'utf8')));
    const complete = <R extends { settings: AppCreation }>(record: R) => ({
      ...record,
      settings: withDefaults(record.settings),
    });
    return {
      ...state,
      apps: state.apps.map(complete),
      builds: state.builds.map(complete),
    } as unknown as PersistedState;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new DamagedDataError(file, reasonOf(cause as Error), cause);
  }
}

function reasonOf(error: Error): string {
  if (!(error instanceof ValiError)) return error instanceof SyntaxError ? 'it is not valid JSON' : error.message;
  const [issue] = error.issues;
  return `${getDotPath(issue) ?? 'the document'}: ${issue.message}`;
}
