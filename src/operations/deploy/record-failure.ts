import type { Context } from '../../context.ts';
import type { GantryError } from '../../errors.ts';
import { forgetArchive } from '../archives/index.ts';
import { recordEvent } from '../history/index.ts';
import { tellWhatServes } from './what-serves.ts';

/** Writes down that a build has failed, forgets what was kept of it, and says what serves. */
export async function recordFailure(context: Context, app: string, build: string, error: GantryError): Promise<void> {
  const { status = 'failed', explanation } = (error.facts.details ?? {}) as FailureDetails;
  await forgetArchive(context, app, build);
  await recordEvent(context, app, 'failed', { build, status, reason: explanation?.title ?? error.message });
  await tellWhatServes(context, app, build);
}

interface FailureDetails {
  status?: string;
  explanation?: { title: string };
}
