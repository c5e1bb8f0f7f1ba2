import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { isCanceled } from '../../platform/contract/builds.ts';
import { type BuildFact, isKnown } from '../facts.ts';
import { findDefaultBranch } from '../git/index.ts';
import { readHistory } from '../history/index.ts';
import { type AppReading, observe } from '../observe.ts';
import { othersInProgress } from '../send/index.ts';
import { order } from '../serving.ts';
import { isCommitted } from './list-previews.ts';

/** What is known of a preview right before it is deleted. */
export interface PreviewFacts extends AppReading {
  /** Builds that were sent by a deploy on record, and the last one of them. */
  sent: ReadonlySet<string>;
  lastSent: string | undefined;
  /** The default branch, if the flags go by its files. */
  main: string | undefined;
  /** Builds that serve or may serve, all of whose files it has. */
  committed: ReadonlySet<string>;
}

type Row = (facts: PreviewFacts) => string | false | undefined;

const rows: readonly Row[] = [
  ({ app }) => !app && 'it was deleted meanwhile',
  ({ builds }) => !isKnown(builds) && 'its builds cannot be listed',
  ({ list }) => list.some(({ status }) => status === '') && 'the status of its builds is not known',
  (facts) => about(othersInProgress(facts, []).first[0]?.id, 'is in progress'),
];

/** Where the flags go by its time to live or its files: what is on record of these is that of a deploy on record. */
const rowsByRecord: readonly Row[] = [
  ({ list, lastSent }) => !list.some(({ id }) => id === lastSent) && 'its last deploy is not on record',
  (facts) => about(otherThanSent(facts)?.id, 'is not on record: another machine has deployed it'),
  ({ serving }) => serving.is === 'unknown' && 'which build it serves is not known',
  (facts) =>
    about(
      live(facts).find((id) => !facts.sent.has(id)),
      'may serve, and is not on record',
    ),
  (facts) =>
    about(
      facts.main && live(facts).find((id) => !facts.committed.has(id)),
      `has files that ${facts.main} does not have`,
    ),
];

/** The first row that fits; undefined if none does. */
export function whyItStays(facts: PreviewFacts, byRecord: boolean): string | undefined {
  for (const row of [...rows, ...(byRecord ? rowsByRecord : [])]) {
    const why = row(facts);
    if (why) return why;
  }
  return undefined;
}

const about = (build: string | undefined, what: string) => build && `build ${shortBuild(build)} ${what}`;

/** The builds that serve or may serve. */
function live({ serving, shows }: Pick<PreviewFacts, 'serving' | 'shows'>): readonly string[] {
  const shown = isKnown(shows) && shows !== null ? [shows] : [];
  return serving.is === 'one-of' ? [...shown, ...serving.builds] : serving.is === 'one' ? [serving.build] : shown;
}

/** Not earlier than the last one on record, as far as their times tell. */
function otherThanSent({ builds, sent, lastSent }: PreviewFacts): BuildFact | undefined {
  const listed = isKnown(builds) ? builds : [];
  const last = listed.find(({ id }) => id === lastSent);
  const isEarlier = ({ created }: BuildFact) => last !== undefined && order(created, last.created) === 'before';
  return listed.find((build) => !isCanceled(build.status) && !sent.has(build.id) && !isEarlier(build));
}

/** Reads what the platform shows of it now. */
export async function readPreviewFacts(context: Context, name: string, byFiles: boolean): Promise<PreviewFacts> {
  const shown = await observe(context, name);
  const history = await readHistory(context, name);
  const main = byFiles ? await findDefaultBranch(context) : undefined;
  const committed = new Set<string>();
  for (const id of main ? live(shown) : []) {
    if (main && (await isCommitted(context, history.sent(id) ?? {}, main.ref))) committed.add(id);
  }
  const sent = new Set(shown.list.flatMap(({ id }) => (history.sent(id) ? id : [])));
  return { ...shown, sent, lastSent: history.sent()?.build, main: main?.name, committed };
}
