import type { DebugMessage } from './debug-messages.ts';

/** A process that is about to start. */
export interface Start {
  build: string;
  /** Where the process has the app's files. */
  folder: string;
  /** Files that are not the app's: the debugger steps over them. */
  foreign: string;
  /** Stops the clock of every time limit. Returns what starts it again. */
  hold: () => () => void;
}

/** A process with a debugger. */
export interface Debugged extends Start {
  id: string;
  /** Known when the debugger listens. */
  port?: number | undefined;
  /** Resolves when its debugger has let go of the last editor. */
  left?: Promise<void>;
}

/** What a process needs to be debugged. */
export interface DebugClaim {
  environment: Record<string, string>;
  /** Called when the process has ended. */
  release(): void;
}

/** A request of the editor as the process gets it: with the folder of its files, and without ending it. */
export function forProcess(request: DebugMessage, { folder, foreign, port }: Debugged, source: string): DebugMessage {
  const { command, arguments: given = {} } = request;
  if (request.type !== 'request') return request;
  if (command === 'disconnect') return { ...request, arguments: { ...given, terminateDebuggee: false } };
  if (command !== 'attach') return request;
  const { host: _, port: __, ...others } = given;
  const mappings = Array.isArray(given.pathMappings) ? given.pathMappings : [];
  const rules = Array.isArray(given.rules) ? given.rules : [];
  return {
    ...request,
    arguments: {
      ...others,
      // Child processes are debugged at the same address.
      connect: { host: '127.0.0.1', port },
      pathMappings: [{ localRoot: source, remoteRoot: folder }, ...mappings],
      rules: [...rules, { path: `${foreign}/**`, include: false }],
    },
  };
}
