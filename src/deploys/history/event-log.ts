import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as v from 'valibot';
import { appendToFileSync, makePrivateFolder, replaceFile, takeLock, toDiskError } from '../../kernel/disk/index.ts';
import { dayMs } from '../../kernel/durations.ts';
import { attempt, FailedError, systemCode } from '../../kernel/errors.ts';
import { stringifyJson, tryParseJson } from '../../kernel/json-text.ts';
import { onceFor } from '../../kernel/once.ts';
import { toMs } from '../../kernel/output/format.ts';

export const maxHistoryBytes = 5 * 1024 * 1024;
export const maxHistoryMs = 90 * dayMs;
/** There are two files, the current one and the one before: each has half of it at most. */
const maxFileBytes = maxHistoryBytes / 2;
const maxFileAgeMs = maxHistoryMs / 2;
/** An event further ahead was written by a wrong clock. */
const maxStepMs = 60_000;

export interface EventsRead {
  /** Oldest first, those of the last 90 days. */
  events: HistoryEvent[];
  unreadable: number;
}

/**
 * An append-only file of JSON lines. Each line begins with its line break, so that one that was cut off by a kill does
 * not spoil the next. A full file becomes the file before, which replaces the one before that: nothing is rewritten, and
 * no line of another process is lost.
 */
export class EventLog {
  /** Events by their line; undefined is no event. A long command reads the same lines many times. */
  readonly #parsed = new Map<string, HistoryEvent | undefined>();

  constructor(private readonly path: string) {}

  /** Now, but no earlier than the last event: two commands know the platform's clock to a second. In ms. */
  timeOf(now: number): number {
    const last = timeOf(this.#parse(this.#text).findLast((event) => event !== undefined));
    return last > now && last - now < maxStepMs ? last : now;
  }

  /** Throws an error of the disk. */
  async append(event: HistoryEvent): Promise<void> {
    makePrivateFolder(dirname(this.path));
    if (this.#isFull(timeOf(event))) await this.#makeRoom(timeOf(event));
    // One write: lines of two processes do not mix.
    appendToFileSync(this.path, `\n${stringifyJson(event)}`);
  }

  /** Throws FailedError if a file is there and cannot be read. */
  async read(now: number): Promise<EventsRead> {
    // In this order, a file that becomes the file before meanwhile is read twice, not missed.
    const current = readText(this.path);
    const before = readText(this.#pathBefore);
    const parsed = this.#parse(before.startsWith(current) ? before : `${before}${current}`);
    const events = parsed.filter((event) => event !== undefined).filter((event) => timeOf(event) > now - maxHistoryMs);
    return {
      events: events.sort((a, b) => timeOf(a) - timeOf(b)),
      unreadable: parsed.filter((event) => event === undefined).length,
    };
  }

  async remove(): Promise<void> {
    await Promise.all([rm(this.path, { force: true }), rm(this.#pathBefore, { force: true })]);
  }

  /** Empty also if it cannot be read. */
  get #text(): string {
    return attempt(() => readText(this.path)) ?? '';
  }

  get #pathBefore(): string {
    return `${this.path}.before`;
  }

  #parse(text: string): (HistoryEvent | undefined)[] {
    return text.split('\n').flatMap((line) => {
      if (line.trim() === '') return [];
      return [onceFor(this.#parsed, line, () => parseEvent(tryParseJson(line)))];
    });
  }

  async #makeRoom(now: number): Promise<void> {
    const lock = takeLock(`${this.path}.lock`);
    try {
      // Looked at again under the lock: another process may have done it.
      if (lock && this.#isFull(now)) await replaceFile(this.path, this.#pathBefore);
    } finally {
      lock?.release();
    }
  }

  /** Too large, or old enough that the file before can go. */
  #isFull(now: number): boolean {
    const text = this.#text;
    const first = this.#parse(text).find((event) => event !== undefined);
    return text.length > maxFileBytes || now - timeOf(first) > maxFileAgeMs;
  }
}

/** NaN of none. */
const timeOf = (event: HistoryEvent | undefined): number => toMs(event?.at);

/** Empty if there is no file, or no usable folder. What cannot be read is not the same as what is not there. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // One that was not there a moment ago is being created by another process.
    if (systemCode(error) === 'ENOENT' || !existsSync(path)) return '';
    throw new FailedError(`cannot read ${path}: ${toDiskError(error).message}`, {
      why: 'it has what is known of the app, such as which builds were found sick',
      fix: 'make it readable for this user, or remove it to forget all that',
    });
  }
}

/** Settings of an app under the platform's names, or of a request without what may hold a secret. */
const settings = v.record(v.string(), v.unknown());
const text = v.string();
const build = v.string();
const rollback = v.object({
  from: build,
  /** The earlier build, and the new one that is made of it. */
  to: build,
  as: build,
  reason: text,
  /** The revision that it deploys instead of an archive, as it was typed. */
  fromGit: v.optional(text),
});

const sent = v.object({
  build,
  /** SHA-256 of all settings, and of all files, by any name of the app. */
  settingsDigest: text,
  filesDigest: text,
  /** Sixteen bits of the secrets' SHA-256, which tell that they have changed. On this machine only: no team gets them. */
  secrets: v.optional(text),
  /** Settings as the config file has them: what is kept of a live app is no setting of the file. */
  settings,
  /** What the platform has made of the file's own value of a setting that is kept; null if that is not known. */
  made: v.optional(settings),
  /** The name of the app in the config file that was sent, if it is that of another app. */
  named: v.optional(text),
  /** The name of the app in the config file on disk, which `--name` replaces. */
  inFile: v.optional(text),
  /** The commit of the app folder; absent outside of a repository. */
  commit: v.optional(text),
  /** Whether files that were sent differed from that commit, or were not in it. */
  dirty: v.optional(v.boolean()),
  restored: v.optional(build),
  /** SHA-256 of the archive, if it was kept: what others find of it can be compared. */
  archive: v.optional(text),
  dashboard: v.optional(text),
  /** The size of the archive: how long its upload may take. */
  bytes: v.optional(v.number()),
  /** Nobody saw the end of the upload: only a build that starts shows that it arrived. */
  unconfirmed: v.optional(v.boolean()),
});

/** What was found of a build by watching it. Unknown: nothing was seen. Superseded: another build went live meanwhile. */
export const verdicts = ['healthy', 'sick', 'unknown', 'superseded'] as const;
export type Verdict = (typeof verdicts)[number];

/** What was seen of an app or done to it. Settings that may hold a secret are digests. */
const kinds = {
  /** A build was created, and waits for its upload. `process`: the name of the process that is to upload it. */
  created: v.object({ build, process: text }),
  /** The upload is about to begin: what is needed if nobody sees its end. See {@link withUploads}. */
  sending: sent,
  /** An archive was uploaded, or a partner's app created. */
  sent,
  /** The commit whose files a build has, by the platform's list of them. */
  commit: v.object({ build, commit: text, evidence: v.picklist(['SHA-256', 'CRC-32']) }),
  /** A build that did not become ready. */
  failed: v.object({ build, status: text, reason: text }),
  /** The build that answers calls, with the settings that the platform shows (get app, spec 4.4). */
  served: v.object({ build, before: v.nullable(build), settings }),
  verdict: v.object({
    build,
    verdict: v.picklist(verdicts),
    reason: text,
    container: v.optional(text),
    watchedMs: v.number(),
    /** Counts of what was looked at; null where it was not shown. */
    seen: v.record(v.string(), v.nullable(v.number())),
    /** How long it was watched; 0 if it was only called. */
    watchMs: v.number(),
  }),
  /** A rollback is about to upload its build: once that serves, it has rolled back, whatever became of the command. */
  'rolling-back': rollback,
  /** Seen to the end. Or noticed: its build was seen to serve, or is listed as ready. */
  'rolled-back': v.object({ ...rollback.entries, isNoticed: v.optional(v.boolean()) }),
  /** Nothing serves any more: a command of gantry has deleted the app. */
  deleted: v.object({}),
  /** A run of a file began: it is not a call of the app. */
  job: v.object({ run: text }),
  /** A preview is about to be deployed. It proves whose the app is when its branch is gone. */
  preview: v.object({
    repository: text,
    base: text,
    branch: text,
    commit: v.nullable(text),
    /** Whether it ever had commits that the default branch did not have. */
    ahead: v.boolean(),
    /** How long it is needed after its last deploy, in ms. */
    ttlMs: v.optional(v.number()),
  }),
  scaled: v.object({ before: settings, after: settings }),
  secrets: v.object({ names: v.array(text), isSet: v.boolean() }),
  /** The live settings changed, and no command on record did it. */
  noticed: v.object({ build, before: settings, after: settings }),
};

type EventKinds = typeof kinds;
export type EventName = keyof EventKinds;
export type EventFacts<Name extends EventName> = v.InferOutput<EventKinds[Name]>;

/** When it was written (RFC 3339), and where: `ada@laptop`, or the pipeline. */
interface Origin {
  at: string;
  by: string;
}
type Event<Name extends EventName> = Origin & { event: Name } & EventFacts<Name>;
export type HistoryEvent = { [Name in EventName]: Event<Name> }[EventName];
export type EventOf<Name extends EventName> = Extract<HistoryEvent, { event: Name }>;

const origin = v.object({ at: v.pipe(text, v.isoTimestamp()), by: text, event: text });

/** Reads an event. Undefined if it is none, or of a kind that a later version writes. */
export function parseEvent(value: unknown): HistoryEvent | undefined {
  const head = v.safeParse(origin, value);
  if (!head.success || !Object.hasOwn(kinds, head.output.event)) return undefined;
  const facts = v.safeParse(kinds[head.output.event as EventName], value);
  return facts.success ? ({ ...head.output, ...facts.output } as HistoryEvent) : undefined;
}
