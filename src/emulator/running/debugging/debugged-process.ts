import { tryParseJson } from '../../../kernel/json-text.ts';

export interface Start {
  build: string;
  /** Where the process has the app's files. */
  folder: string;
  /** Files that are not the app's: the debugger steps over them. */
  foreign: string;
  /** Stops the clock of every time limit. Returns what starts it again. */
  hold: () => () => void;
}

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

/** A message of the debug adapter protocol, as far as the emulator reads it. */
export interface DebugMessage {
  seq: number;
  type: 'request' | 'response' | 'event';
  /** The command of a request, and of its response. */
  command?: string;
  arguments?: Record<string, unknown>;
  /** In a response: the number of its request. */
  request_seq?: number;
  success?: boolean;
  message?: string;
  event?: string;
  body?: Record<string, unknown>;
}

/** A message as the protocol frames it: a header with the length, an empty line, and JSON. */
export function encodeMessage(message: DebugMessage): Buffer {
  const content = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${content.length}\r\n\r\n`), content]);
}

/** Returns a function that takes what a connection receives, and calls the listener with each complete message. */
export function readMessages(listener: (message: DebugMessage) => void): (chunk: Buffer) => void {
  let received = Buffer.alloc(0);
  return (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const end = received.indexOf(headerEnd);
      if (end < 0) return;
      const start = end + headerEnd.length;
      const length = Number(/content-length: *(\d+)/i.exec(received.toString('latin1', 0, end))?.[1] ?? 0);
      if (received.length < start + length) return;
      const content = received.toString('utf8', start, start + length);
      received = received.subarray(start + length);
      const message = parseMessage(content);
      if (message) listener(message);
    }
  };
}

const headerEnd = '\r\n\r\n';

function parseMessage(text: string): DebugMessage | undefined {
  const message = Object(tryParseJson(text));
  return typeof message.type === 'string' ? message : undefined;
}
