import { FailedError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { controlEmulator } from './control-emulator.ts';
import { listRunningEmulators, type RunningEmulator } from './running-emulators.ts';

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
