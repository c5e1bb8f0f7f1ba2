import type { Context } from '../../context.ts';
import { forgetArchive } from '../archives/index.ts';
import { recordEvent } from '../history/index.ts';

/** Writes down that a build was canceled, and forgets what was kept of it. It has not failed. */
export async function recordCanceled(context: Context, app: string, build: string, reason: string): Promise<void> {
  await forgetArchive(context, app, build);
  await recordEvent(context, app, 'failed', { build, status: 'cancelled', reason });
}
