import * as v from 'valibot';

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
  /** SHA-256 of all settings, and of all files. */
  settingsDigest: text,
  filesDigest: text,
  settings,
  /** The commit of the app folder; absent outside of a repository. */
  commit: v.optional(text),
  /** Whether files that were sent differed from that commit, or were not in it. */
  dirty: v.optional(v.boolean()),
  /** The earlier build that it was made of again. */
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

/**
 * What was seen of an app or done to it. No event holds a secret or the value of a variable: settings that may contain
 * one are digests.
 */
const kinds = {
  /** A build was created, and waits for its upload. `process`: the name of the process that is to upload it. */
  created: v.object({ build, process: text }),
  /** The upload is about to begin: what is needed if nobody sees its end. See {@link withUploads}. */
  sending: sent,
  /** An archive was uploaded, or a partner's app created. */
  sent,
  /** The commit whose files a build has, by the platform's list of them. */
  commit: v.object({ build, commit: text, evidence: v.picklist(['SHA-256', 'CRC-32']) }),
  /** A build that did not become ready, or failed after it did. */
  failed: v.object({ build, status: text, reason: text }),
  /** The build that answers calls, with the settings that the platform shows (get app, spec 4.4). */
  served: v.object({ build, before: v.nullable(build), settings }),
  verdict: v.object({
    build,
    verdict: v.picklist(verdicts),
    reason: text,
    /** The replica that shows it. */
    container: v.optional(text),
    watchedMs: v.number(),
    /** Counts of what was looked at; null where it was not shown. */
    seen: v.record(v.string(), v.nullable(v.number())),
    /** How long the build was watched. */
    checks: v.optional(v.object({ watchMs: v.number() })),
  }),
  /** A rollback is about to upload its build: once that serves, it has rolled back, whatever became of the command. */
  'rolling-back': rollback,
  /** Seen to the end. Or noticed: its build was seen to serve, or is listed as ready. */
  'rolled-back': v.object({ ...rollback.entries, isNoticed: v.optional(v.boolean()) }),
  /** Nothing serves any more. By a command of gantry, or noticed: the platform shows a later app of that name. */
  deleted: v.object({ isNoticed: v.optional(v.boolean()) }),
  /** A run of a file began: it is not a call of the app. */
  job: v.object({ run: text }),
  /** By a command of gantry. */
  scaled: v.object({ before: settings, after: settings }),
  secrets: v.object({ names: v.array(text), isSet: v.boolean() }),
  /** The live settings changed, and no command on record did it. */
  noticed: v.object({ build, before: settings, after: settings }),
};

type Kinds = typeof kinds;
export type EventName = keyof Kinds;
export type Facts<Name extends EventName> = v.InferOutput<Kinds[Name]>;

/** When it was written (RFC 3339), and where: `ada@laptop`, or the pipeline. */
interface Origin {
  at: string;
  by: string;
}
type Event<Name extends EventName> = Origin & { event: Name } & Facts<Name>;
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
