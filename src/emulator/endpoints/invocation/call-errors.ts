import { jsonReply, type ServerReply } from '../../http/reply.ts';
import { ProcessStartError } from '../../running/processes/process.ts';
import { CallAbortedError, ReplicaError } from '../../running/replicas/replica.ts';

/** The app did not get ready for a call. */
export class AppStartError extends Error {}

export function timeoutError(seconds: number): CallAbortedError {
  return new CallAbortedError(
    `the app did not respond within its response_grace_period of ${seconds} seconds`,
    504,
    504,
  );
}

/** The reply to a call that failed outside of the app's own code. */
export function errorReply(error: unknown, run: string): ServerReply {
  if (error instanceof CallAbortedError) return jsonReply({ run_id: run, message: error.message }, error.replyStatus);
  if (error instanceof AppStartError || error instanceof ProcessStartError)
    return jsonReply({ run_id: run, message: error.message }, 503);
  if (error instanceof ReplicaError)
    return jsonReply({ run_id: run, message: `the app failed: ${error.message}` }, 502);
  const text = error instanceof Error ? error.stack : error;
  return jsonReply({ run_id: run, message: `the emulator has a bug: ${text}` }, 500);
}
