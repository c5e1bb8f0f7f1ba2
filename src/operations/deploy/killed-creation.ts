import { join } from 'node:path';
import * as v from 'valibot';
import { platformOf, stateKey } from '../../config/state-key.ts';
import type { Context } from '../../context.ts';
import type { Build } from '../../contract/builds.ts';
import { announce, readAbandoned } from '../../disk/index.ts';
import { findNewBuilds } from './lost-creation.ts';

/** How long after its announcement a request can still create a build: a retry, and a reply that nobody reads. In ms. */
const maxRequestMs = 60_000;
/** How long a build stays as it was created if nobody uploads it; one of another deploy gets its upload. In ms. */
const settleMs = 5_000;
/** Older announcements are of builds that have expired. In ms. */
const maxAgeMs = 900_000;

const Creation = v.object({ app: v.string(), sentAt: v.number() });
type Creation = v.InferOutput<typeof Creation>;

/**
 * Tells later commands of this machine that a build is being asked for: if this process is killed before it knows which
 * one, they can find it. Best effort. Returns what to call when the reply is known.
 */
export function announceCreation(context: Context, app: string): () => void {
  try {
    const announced: Creation = { app: keyOf(context, app), sentAt: context.now() };
    return announce(folderOf(context), announced).withdraw;
  } catch (error) {
    context.trace(`cannot announce a build: ${(error as Error).message}`);
    return () => {};
  }
}

/**
 * The builds that killed processes of this machine asked for without learning their ids: each is the only one that was
 * created within a minute of an announcement and gets no upload.
 */
export async function findKilledCreations(context: Context, app: string): Promise<Build[]> {
  const found: Build[] = [];
  for (const { content, forget } of readAbandoned(folderOf(context))) {
    const { success, output } = v.safeParse(Creation, content);
    if (!success || output.sentAt + maxAgeMs < context.now()) forget();
    else if (output.app === keyOf(context, app)) found.push(...(await findOf(context, app, output)));
  }
  return found;
}

const folderOf = ({ settings }: Context): string => join(settings.folders.state, 'creating');
const keyOf = ({ settings, project }: Context, app: string): string => stateKey(platformOf(settings), project, app);

async function findOf(context: Context, app: string, { sentAt }: Creation): Promise<Build[]> {
  const before = await findNewBuilds(context, app, sentAt, maxRequestMs);
  if (before.length !== 1) return [];
  await context.delay(settleMs);
  const after = await findNewBuilds(context, app, sentAt, maxRequestMs);
  return after.length === 1 && after[0]?.id === before[0]?.id ? after : [];
}
