import type { GantryError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { forgetArchive } from '../archives/index.ts';
import { recordEvent } from '../history/index.ts';
import { tellWhatServes } from './what-serves.ts';

/** Writes down that a build will not serve, by default as it was canceled, and forgets what was kept of it. */
export async function recordEnded(context: Context, app: string, build: string, reason: string, status = 'cancelled') {
  await forgetArchive(context, app, build);
  await recordEvent(context, app, 'failed', { build, status, reason });
}

/** Writes down that a build has failed, and says what serves. */
export async function recordFailure(context: Context, app: string, build: string, error: GantryError): Promise<void> {
  const details = (error.facts.details ?? {}) as { status?: string; explanation?: { title: string } };
  await recordEnded(context, app, build, details.explanation?.title ?? error.message, details.status ?? 'failed');
  await tellWhatServes(context, app, build);
}
