import * as v from 'valibot';
import { type AppResponse, callOrThrow } from '../../calls/invoke/index.ts';
import { gantryCommand } from '../../kernel/command-line.ts';
import type { Context } from '../../platform/context.ts';
import { toPathSegment } from '../../platform/contract/endpoint.ts';
import { controlEmulator, findRunningEmulator } from '../emulator/index.ts';

const CallSchema = v.object({
  run: v.string(),
  project: v.string(),
  app: v.string(),
  method: v.string(),
  path: v.string(),
  headers: v.record(v.string(), v.union([v.string(), v.array(v.string())])),
  /** As base64. */
  body: v.string(),
});

/**
 * Sends a call that an app of `gantry dev` got once more. Throws NotFoundError if it is not among those that are kept,
 * ConflictError if not all of it is, and responses other than 2xx as `invoke` does.
 */
export async function replayCall(context: Context, run: string, port: number | undefined): Promise<AppResponse> {
  const emulator = findRunningEmulator(context, port, gantryCommand`dev`);
  const call = v.parse(CallSchema, await controlEmulator(context, emulator, 'call', { run }));
  const url = new URL(`${emulator.url}/v4/${call.project}/${toPathSegment(call.app, 'app')}${call.path}`);
  const { project, app, method } = call;
  const name = `${app}${call.path.replace(/\?.*$/, '')}`;
  const target = { project, app, fn: undefined, name, url };
  const headers = Object.fromEntries(
    Object.entries(call.headers).map(([key, value]) => [key, [value].flat().join(', ')]),
  );
  const body = Buffer.from(call.body, 'base64');
  context.progress.note(`sending run ${call.run} again: ${method} ${name}`);
  const own = context.withOverrides(emulator.environment, context.cwd);
  const auth = { headers: {}, kind: 'recorded' as const };
  return callOrThrow(own, {
    target,
    method,
    url,
    headers,
    auth,
    body: body.length > 0 ? body : undefined,
  });
}
