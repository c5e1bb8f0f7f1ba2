import type { Platform } from '../endpoints/platform.ts';
import { jsonReply, refuse, type ServerReply } from '../http/reply.ts';
import { editableHeaders, obstacleOf } from './dashboard/shown-call.ts';

/** What a call of an app sent. Its headers mark the call that repeats it. */
export function readCall(run: string, { store, inspected }: Platform): ServerReply {
  const call = inspected.find(run) ?? refuse(404, `call ${run} not found among the last ones`);
  const app = store.apps.get(call.app) ?? refuse(404, `the app of call ${call.run} was deleted`);
  const obstacle = obstacleOf(call.body);
  if (obstacle !== undefined) refuse(409, `call ${call.run} cannot be sent again: ${obstacle}`);
  const { header } = inspected.expect(call.run, () => {});
  return jsonReply({
    ...{ run: call.run, project: app.project, app: app.name, method: call.method, path: call.path },
    headers: { ...editableHeaders(call), ...header },
    body: call.body.bytes.toString('base64'),
  });
}
