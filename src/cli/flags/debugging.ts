import { DebugRelay } from '../../emulator/index.ts';
import { FailedError, systemCode } from '../../kernel/errors.ts';
import { wholeNumberFlag } from './values.ts';

/** What most editors propose for debugpy. */
const defaultPort = 5678;

/** A port, or nothing for the usual one. */
export const debugPortFlag = ['--debug-port [number]', `let an editor attach here (default: ${defaultPort})`] as const;

export const parsePort = wholeNumberFlag(0, 65_535);

/** Opens a port for each app, by its folder, one after the other: the first at `port`; none without that. Throws a FailedError if one is in use. */
export async function openDebugRelays(
  folders: readonly string[],
  port: number | true | undefined,
  waits: boolean,
): Promise<Map<string, DebugRelay>> {
  const relays = new Map<string, DebugRelay>();
  if (port === undefined) return relays;
  const first = port === true ? defaultPort : port;
  for (const [index, folder] of folders.entries()) {
    const next = first === 0 ? 0 : first + index;
    try {
      relays.set(folder, await DebugRelay.open({ port: next, folder, waits }));
    } catch (cause) {
      for (const relay of relays.values()) relay.close();
      const reason = systemCode(cause) === 'EADDRINUSE' ? 'is in use' : 'cannot be used';
      throw new FailedError(`port ${next} for the debugger ${reason}`, {
        fix: 'use a free port',
        retryWith: ['--debug-port', '0'],
        cause,
      });
    }
  }
  return relays;
}
