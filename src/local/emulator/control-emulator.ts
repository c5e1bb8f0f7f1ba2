import { ConflictError, FailedError } from '../../kernel/errors.ts';
import { isRecord, tryParseJson } from '../../kernel/json-text.ts';
import type { Context } from '../../platform/context.ts';
import { listRunningEmulators, type RunningEmulator } from './running-emulators.ts';

/** Asks an emulator of this user for something that the platform has not. Throws ConflictError if it refuses. */
export async function controlEmulator(
  context: Context,
  { environment, port }: Pick<RunningEmulator, 'port' | 'environment'>,
  action: 'stop' | 'save' | 'restore' | 'call',
  parameters: object = {},
): Promise<Record<string, unknown>> {
  const secret = environment.GANTRY_EMULATOR_SECRET ?? '';
  context.secrets.add(secret);
  const call = {
    method: 'POST',
    path: `/emulator/${action}`,
    query: [],
    body: JSON.stringify({ ...parameters, secret }),
  };
  const { status, body } = await context.withOverrides(environment, context.cwd).raw(call);
  const reply = tryParseJson(body);
  const known = isRecord(reply) ? reply : {};
  if (status < 300) return known;
  const message = `the emulator on port ${port}: ${known.message ?? `HTTP ${status}`}`;
  throw status === 409 ? new ConflictError(message) : new FailedError(message);
}

/** Ends an emulator as Ctrl-C would, and waits until its process has cleaned up. Throws FailedError if it does not end. */
export async function stopEmulator(context: Context, emulator: RunningEmulator): Promise<void> {
  const { delay, elapsed } = context;
  const { pid, port } = emulator;
  await controlEmulator(context, emulator, 'stop');
  const started = elapsed();
  while (listRunningEmulators(context).some((other) => other.pid === pid && other.port === port)) {
    if (elapsed() - started > maxWaitMs) {
      throw new FailedError(`the emulator on port ${port} is still running`, { fix: `end its process: kill ${pid}` });
    }
    await delay(pollMs);
  }
}

/** Apps get two seconds to end. */
const maxWaitMs = 10_000;
const pollMs = 50;
