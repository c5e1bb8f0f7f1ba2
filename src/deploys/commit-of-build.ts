import { resolve } from 'node:path';
import { readAppName } from '../app/read-app-name.ts';
import { ConflictError, type ExitName } from '../kernel/errors.ts';
import { onceFor } from '../kernel/once.ts';
import { shortBuild } from '../kernel/output/format.ts';
import type { Context } from '../platform/context.ts';
import { shortAppName } from '../platform/contract/endpoint.ts';
import { fetchApp } from '../platform/replies/index.ts';
import { contextWith, tryRequest } from '../platform/waiting/index.ts';
import { findAppHere, findAppNames } from './apps.ts';
import { listFiles } from './builds/index.ts';
import type { CommitFiles, Here } from './commit-files.ts';
import { firstTrue } from './decide.ts';
import { findRevision, listAhead, listRecent, listTracked, mayConvert, unshallow } from './git/index.ts';
import { type AppHistory, type BuildCommit, readHistory, recordEvent } from './history/index.ts';
import { type AppReading, settle } from './observe.ts';
import { servingBuild } from './serving.ts';

/** The commit of one build, as {@link findCommits} finds it. `history`: if it is read already. */
export async function findCommit(
  context: Context,
  here: Here,
  build: string,
  history?: AppHistory,
): Promise<BuildCommit> {
  return (await findCommits(context, here, [build], history))(build);
}

/** On record, else found by files among the last commits and remembered. A look is a request: few are made. */
export async function findCommits(anywhere: Context, here: Here, builds: readonly string[], given?: AppHistory) {
  const history = given ?? (await readHistory(anywhere, here.app));
  const bySums = new Map<string, BuildCommit>();
  const of = (build: string) => bySums.get(build) ?? history.commitOf(build);
  const open = builds.filter((build) => of(build).commit === null).slice(0, maxLooks);
  if (open.length === 0) return of;
  const context = await inFolderOf(anywhere, here);
  const { readSending } = await import('./commit-files.ts');
  const { sent } = await readSending(context, here, await listRecent(context, maxCommits));
  const find = async (build: string) => {
    const { commits, evidence } = await commitsBySums(context, here, build, sent);
    const [commit] = commits;
    if (commit === undefined) return;
    bySums.set(build, { commit, dirty: false, evidence });
    if (!context.isForModel) await recordEvent(context, here.app, 'commit', { build, commit, evidence });
  };
  await Promise.all(open.map(find));
  return of;
}

const maxCommits = 200;
const maxLooks = 20;

/** Where the config file of an app is: here, or in the only folder of this clone whose file has its name. */
export async function inFolderOf(context: Context, { app, configFile }: Here): Promise<Context> {
  if ((await findAppHere(context, configFile)) === app) return context;
  const files = (await listTracked(context, configFile)).map((path) => resolve(context.cwd, path));
  const names = await Promise.all(files.map((file) => readAppName(file, configFile)));
  const [only, another] = files.filter((_, at) => names[at] === app);
  return only && !another ? contextWith(context, { cwd: resolve(only.slice(0, -configFile.length)) }) : context;
}

/**
 * The error of a deploy of an older commit than the one that serves, which has other files. Undefined without proof: if no
 * branch here has that one, or if commits that are not newer have the same files.
 */
export async function whyOlder(context: Context, here: Here, reading?: AppReading) {
  const { app } = here;
  const findSent = async () => (await readHistory(context, app)).last('sent')?.commit;
  const ahead = await onceFor(clones, context.settings, () => listAhead(context, findSent));
  if (!ahead) return undefined;
  const read = reading ?? (await settle(context, app).catch(() => context.signal.throwIfAborted()));
  const build = read && servingBuild(read.serving);
  if (build === undefined) return undefined;
  const recorded = (await readHistory(context, app)).sent(build)?.commit;
  const among = recorded === undefined ? await listRecent(context, maxCommits) : [ahead.head];
  const { commits } = await commitsOf(context, here, build, among);
  // What was sent with changes is newer than its commit.
  if (recorded !== undefined) commits.unshift(recorded);
  const [first] = commits;
  await warnOfMissing(context, app, commits, ahead);
  if (first === undefined || !commits.every((commit) => ahead.commits.has(commit))) return undefined;
  const [older, newer] = [ahead.head, first].map((commit) => commit.slice(0, 8));
  return new ConflictError(`commit ${older} is older than ${newer}, which ${app} serves`, {
    why: `build ${shortBuild(build)} has what was committed after ${older}: this deploy would take it back`,
    retryWith: ['--older'],
    details: { app, build, commit: ahead.head, serves: first },
  });
}

/** What a command has found in its clone, which is as it was when it packed. */
const clones = new WeakMap<Context['settings'], ReturnType<typeof listAhead>>();
/** Commands that have warned. */
const warned = new WeakMap<Context['settings'], void>();

/** The commit that serves may be any of those that a shallow clone lacks. In another one, it may have been taken back. */
async function warnOfMissing(
  context: Context,
  app: string,
  serves: readonly string[],
  { isShallow, lacks }: { isShallow: boolean; lacks?: string | undefined },
): Promise<void> {
  const recent = isShallow ? await listRecent(context, maxCommits) : [];
  const [first = ''] = serves;
  const warning = firstTrue([
    [
      isShallow && !recent.includes(first),
      {
        message: `this commit may be older than the one that ${app} serves: this clone has not all commits`,
        fix: unshallow,
      },
    ],
    [
      // Another one of the same files is replaced by nothing else.
      serves.length === 1 && first === lacks,
      {
        message: `this clone has no commit ${first.slice(0, 8)}, which ${app} serves: a deploy replaces it`,
        fix: 'nothing if it was taken back by a force push; else fetch the branch that has it',
      },
    ],
  ]);
  if (warning) onceFor(warned, context.settings, () => context.progress.warn({ severity: 'warning', ...warning }));
}

/** Whether what serves has the files of a revision; null, and why, if that is not known. */
export async function compareServing(anywhere: Context, { app, configFile }: Here, revision: string) {
  const here = { app: shortAppName(anywhere.project, app), configFile };
  const context = await inFolderOf(anywhere, here);
  const commit = await findRevision(context, revision);
  const { serving, app: shown } = await settle(context, here.app);
  // The error of an app that is not there names others.
  if (!shown) await fetchApp(context.api, { project: context.project, app: here.app });
  const build = servingBuild(serving) ?? null;
  const none = { commits: [], unknown: serving.is === 'none' ? undefined : 'what serves is not known' };
  const { commits, unknown } = build === null ? none : await commitsOf(context, here, build, [commit]);
  const exit: keyof typeof serves = commits.includes(commit) ? 'ok' : unknown === undefined ? 'conflict' : 'pending';
  const reason = (exit === 'pending' && unknown) || null;
  return { app: here.app, commit, build, exit, hasFiles: serves[exit], reason };
}

/** Whether what serves has the files of a revision, by the exit code of `--serves`. */
const serves = { ok: true, conflict: false, pending: null } as const satisfies { [Exit in ExitName]?: boolean | null };

/** Those among commits that send the files of a build. `unknown`: why others may, too, if they are not known not to. */
async function commitsOf(context: Context, here: Here, build: string, among: readonly string[]) {
  const { readSending } = await import('./commit-files.ts');
  const { sent, unknown } = await readSending(context, here, among);
  const recorded = await commitsByRecord(context, here, build, among, sent);
  if (recorded) return { commits: recorded, unknown };
  const { commits, isProof } = await commitsBySums(context, here, build, sent);
  if (unknown !== undefined) return { commits, unknown };
  if (!isProof)
    return { commits, unknown: `the platform lists no checksums of the files of build ${shortBuild(build)}` };
  const isOpen = await mayConvert(context);
  return { commits, unknown: isOpen ? 'a .gitattributes may make other files of them' : undefined };
}

/** The commits that send what the one of a build does. Undefined if none is on record, or this clone does not have it. */
async function commitsByRecord(
  context: Context,
  here: Here,
  build: string,
  among: readonly string[],
  sent: ReadonlyMap<string, CommitFiles>,
) {
  const { readSending, sendSame } = await import('./commit-files.ts');
  const { commit, dirty } = (await readHistory(context, here.app)).sent(build) ?? {};
  if (commit === undefined || dirty) return undefined;
  const files = (await readSending(context, here, [commit])).sent.get(commit);
  if (!files && !among.includes(commit)) return undefined;
  return among.filter((other) => other === commit || sendSame(sent.get(other), files));
}

/** The commits that send what the platform lists of a build. */
async function commitsBySums(context: Context, here: Here, build: string, sent: ReadonlyMap<string, CommitFiles>) {
  const { project } = context;
  const { findSending } = await import('./commit-files.ts');
  const ask = (api: Context['api']) => listFiles(api, { project, app: here.app, build });
  const listing = (sent.size > 0 && (await tryRequest(context, ask))) || [];
  const isProof = listing.length > 0 && listing.every(({ sha256, crc32 }) => sha256 || crc32 !== undefined);
  const evidence = listing.every(({ sha256 }) => sha256) ? ('SHA-256' as const) : ('CRC-32' as const);
  const names = async () => (await findAppNames(context)) ?? [];
  return { commits: isProof ? await findSending(context, sent, listing, names) : [], evidence, isProof };
}
