import { FailedError } from '../../errors.ts';
import { openReceiver, type Receiver, type ReceiverOptions } from '../../receiver/index.ts';

/** Opens a receiver. Throws FailedError where nothing can listen. */
export async function openPort(options: ReceiverOptions): Promise<Receiver> {
  try {
    return await openReceiver(options);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new FailedError(`port ${options.port} is taken`, { fix: '--port 0 takes a free one', cause });
    }
    throw new FailedError(`cannot listen on ${options.host}, port ${options.port}`, { why: message, cause });
  }
}
