import { join } from 'node:path';
import * as v from 'valibot';
import { platformOf, stateKey } from '../../config/state-key.ts';
import type { Context } from '../../context.ts';
import type { Build } from '../../contract/builds.ts';
import { announce, readAbandoned } from '../../disk/index.ts';
import { findNewBuilds } from './lost-creation.ts';

/** How long after its announcement a request can still create a build: a retry, and a reply that nobody reads. In ms. */
const maxRequestMs = 60_000;
/** A build of another deploy gets its upload within this time, as a rule. In ms. */
export const settleMs = 5_000;
/** Older announcements are of builds that have expired. In ms. */
const maxAgeMs = 900_000;

const Creation = v.object({ app: v.string(), sentAt: v.number() });
type Creation = v.InferOutput<typeof Creation>;

/**
 * Tells later commands of this machine that a build is being asked for: if this process ends before it knows which one,
 * they can find it. Best effort. Returns what to call when the reply is known.
 */
export function announceCreation(context: Context, app: string): () => void {
  try {
    const announced: Creation = { app: keyOf(context, app), sentAt: context.now() };
    return announce(folderOf(context), announced, { outlives: true }).withdraw;
  } catch (error) {
    context.trace(`cannot announce a build: ${(error as Error).message}`);
    return () => {};
  }
}

/**
 * The builds that processes of this machine asked for and ended without learning their ids: created within a minute of an
 * announcement, no more of them than announcements, and they get no upload.
 */
export async function findKilledCreations(context: Context, app: string): Promise<Build[]> {
  const announced = readAbandoned(folderOf(context)).flatMap(({ content, forget }): Creation[] => {
    const { success, output } = v.safeParse(Creation, content);
    if (success && output.sentAt + maxAgeMs >= context.now()) return output.app === keyOf(context, app) ? [output] : [];
    forget();
    return [];
  });
  const before = await findCreated(context, app, announced);
  if (before.size === 0 || before.size > announced.length) return [];
  await context.delay(settleMs);
  const after = await findCreated(context, app, announced);
  return after.size === before.size ? [...after.values()].filter(({ id }) => before.has(id)) : [];
}

/** By id. */
async function findCreated(context: Context, app: string, announced: readonly Creation[]): Promise<Map<string, Build>> {
  const found = await Promise.all(announced.map(({ sentAt }) => findNewBuilds(context, app, sentAt, maxRequestMs)));
  return new Map(found.flat().map((build) => [build.id, build]));
}

const folderOf = ({ settings }: Context): string => join(settings.folders.state, 'creating');
const keyOf = ({ settings, project }: Context, app: string): string => stateKey(platformOf(settings), project, app);
