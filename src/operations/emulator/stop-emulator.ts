import type { Context } from '../../context.ts';
import { FailedError } from '../../errors.ts';
import { listRunningEmulators, type RunningEmulator } from './running-emulators.ts';

/** Ends an emulator as Ctrl-C would, and waits until its process has cleaned up. Throws FailedError if it does not end. */
export async function stopEmulator(context: Context, emulator: RunningEmulator): Promise<void> {
  const { delay, elapsed, cwd } = context;
  const { environment, pid, port } = emulator;
  const secret = environment.GANTRY_EMULATOR_SECRET ?? '';
  context.secrets.add(secret);
  const body = JSON.stringify({ secret });
  await context.withOverrides(environment, cwd).raw({ method: 'POST', path: '/emulator/stop', query: [], body });
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
