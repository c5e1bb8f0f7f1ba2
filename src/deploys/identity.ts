import type { CommandLine } from '../kernel/command-line.ts';
import { ConflictError, type ExitName } from '../kernel/errors.ts';
import { shortBuild } from '../kernel/output/format.ts';
import type { Context } from '../platform/context.ts';
import { getBuildZipContents } from '../platform/contract/builds.ts';
import { fetchApp } from '../platform/replies/index.ts';
import { tryRequest } from '../platform/waiting/index.ts';
import { parseZipContents } from './builds/index.ts';
import { findRevision, listAhead, listRecent, mayConvert } from './git/index.ts';
import { type AppHistory, readHistory, recordEvent } from './history/index.ts';
import { settle } from './observe.ts';
import { servingBuild } from './serving.ts';

/** The commit that a build was made of. Null is what is not known. */
export interface BuildCommit {
  commit: string | null;
  /** Whether files that were sent differed from it, or were not in it. */
  dirty: boolean | null;
  /** On record as it was sent, or found by what the platform lists of its files. */
  evidence: 'record' | 'SHA-256' | 'CRC-32' | null;
}

/** The app of this folder, and its config file relative to that. */
export interface Here {
  app: string;
  configFile: string;
}

/** What is on record, by this machine or its team. */
export function recordedCommit(history: AppHistory, build: string | undefined): BuildCommit {
  const sent = build === undefined ? undefined : history.sent(build);
  if (sent?.commit !== undefined) return { commit: sent.commit, dirty: sent.dirty ?? false, evidence: 'record' };
  const found = history.events.findLast((event) => event.event === 'commit' && event.build === build);
  if (found?.event !== 'commit') return { commit: null, dirty: null, evidence: null };
  return { commit: found.commit, dirty: false, evidence: found.evidence };
}

/** The commit of one build: on record, else by its files among the last commits of this clone, which is remembered. */
export async function findCommit(context: Context, here: Here, build: string): Promise<BuildCommit> {
  const recorded = recordedCommit(await readHistory(context, here.app), build);
  if (recorded.commit !== null) return recorded;
  const { commits, evidence } = await commitsOf(context, here, build, await listRecent(context, maxCommits));
  const [commit] = commits;
  if (commit === undefined || evidence === 'record') return recorded;
  if (!context.isForModel) await recordEvent(context, here.app, 'commit', { build, commit, evidence });
  return { commit, dirty: false, evidence };
}

const maxCommits = 200;

/**
 * The error of a deploy of an older commit than the one that serves, which has other files. Undefined without proof: if no
 * branch here has that one, or if commits that are not newer have the same files. `anyway`: the line that does it all the same.
 */
export async function whyOlder(context: Context, here: Here, anyway: CommandLine): Promise<ConflictError | undefined> {
  const { app } = here;
  const ahead = await listAhead(context);
  if (!ahead) return undefined;
  const read = await settle(context, app).catch(() => context.signal.throwIfAborted());
  const build = read && servingBuild(read.serving);
  if (build === undefined) return undefined;
  const { commit: known, evidence } = recordedCommit(await readHistory(context, app), build);
  const recorded = evidence === 'record' && known !== null ? known : undefined;
  const among = recorded === undefined ? await listRecent(context, maxCommits) : [ahead.head];
  const { commits } = await commitsOf(context, here, build, among);
  // What was sent with changes is newer than its commit.
  if (recorded !== undefined) commits.unshift(recorded);
  const [first] = commits;
  if (first === undefined || !commits.every((commit) => ahead.commits.has(commit))) return undefined;
  const [older, newer] = [ahead.head, first].map((commit) => commit.slice(0, 8));
  return new ConflictError(`commit ${older} is older than ${newer}, which ${app} serves`, {
    why: `build ${shortBuild(build)} has what was committed after ${older}: this deploy would take it back`,
    fix: anyway,
    details: { app, build, commit: ahead.head, serves: first },
  });
}

/** Whether what serves has the files of a revision; null if that is not known. */
export async function compareServing(context: Context, here: Here, revision: string) {
  const commit = await findRevision(context, revision);
  const { serving, app } = await settle(context, here.app);
  // The error of an app that is not there names others.
  if (!app) await fetchApp(context.api, { project: context.project, app: here.app });
  const build = servingBuild(serving) ?? null;
  const found = build === null ? undefined : await commitsOf(context, here, build, [commit]);
  const hasOthers = found?.isKnown ?? serving.is === 'none';
  const hasFiles = found?.commits.includes(commit) || (hasOthers ? false : null);
  const exit: ExitName = hasFiles ? 'ok' : hasOthers ? 'conflict' : 'pending';
  return { app: here.app, commit, build, hasFiles, exit };
}

/** Those among commits that send the files of a build, and whether the others are known to send others. */
async function commitsOf(context: Context, here: Here, build: string, among: readonly string[]) {
  const { readCommitFiles, sendSame, findSending } = await import('./commit-files.ts');
  const { commit, dirty, evidence } = recordedCommit(await readHistory(context, here.app), build);
  if (commit !== null && evidence === 'record' && !dirty) {
    const sent = await readCommitFiles(context, here, [commit, ...among]);
    const commits = among.filter((other) => other === commit || sendSame(sent.get(other), sent.get(commit)));
    return { commits, evidence, isKnown: [commit, ...among].every((each) => sent.has(each)) };
  }
  const { project } = context;
  const sent = await readCommitFiles(context, here, among);
  const ask = (api: Context['api']) => api(getBuildZipContents, { project, app: here.app, build });
  const listed = sent.size > 0 ? await tryRequest(context, ask) : undefined;
  const listing = parseZipContents(listed?.zipFiles).filter(({ path }) => !path.endsWith('/'));
  const isProof = listing.length > 0 && listing.every(({ sha256, crc32 }) => sha256 || crc32 !== undefined);
  const isKnown = isProof && among.every((other) => sent.has(other)) && !(await mayConvert(context));
  const by = listing.every(({ sha256 }) => sha256) ? ('SHA-256' as const) : ('CRC-32' as const);
  const commits = isProof ? await findSending(context, sent, listing) : [];
  return { commits, evidence: by, isKnown };
}
