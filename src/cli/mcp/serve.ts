import type { Readable } from 'node:stream';
import {
  type CallToolResult,
  deserializeMessage,
  type JSONRPCMessage,
  Server,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { onAbort, turn } from '../../kernel/clock.ts';
import { exitCodes, UsageError } from '../../kernel/errors.ts';
import { isRecord, parseJsonOr, stringifyJson } from '../../kernel/json-text.ts';
import { deferred } from '../../kernel/once.ts';
import { failureJson } from '../../kernel/output/failure.ts';
import { toGantryError } from '../../kernel/output/system-error.ts';
import { version } from '../../kernel/version.ts';
import type { Context } from '../../platform/context.ts';
import type { Effect } from '../command.ts';
import { type CommandReference, reference } from '../reference.ts';
import { type CallOutcome, callCommand } from './call.ts';
import { settingArguments } from './setting-arguments.ts';
import { type Input, instructions, readToolCall, type Started, toolDefinitions } from './tools.ts';

export interface McpAccess {
  allowChanges?: true | undefined;
  allowDestroy?: true | undefined;
}

/** Serves MCP until stdin ends. Then, and at Ctrl-C, running commands end as Ctrl-C ends them. */
export async function serveMcp(context: Context, access: McpAccess, write: (bytes: Uint8Array) => Promise<void>) {
  const { commands } = await reference();
  const transport = new DrainingTransport(write);
  const running = new Set<Promise<unknown>>();
  const started = { allowed: allowedEffects(access), inPlace: context.inPlace };
  const served = serveStdio(() => createToolServer(context, commands, started, running), { transport });
  try {
    await transport.pump(context.stdin as Readable, context.signal);
  } finally {
    await served.close();
    await Promise.allSettled(running);
  }
}

function allowedEffects({ allowChanges, allowDestroy }: McpAccess): Effect[] {
  if (allowDestroy) return ['reads', 'changes', 'destroys'];
  return allowChanges ? ['reads', 'changes'] : ['reads'];
}

/** `running` are the commands that run; the server waits for them when it ends. */
function createToolServer(
  context: Context,
  commands: readonly CommandReference[],
  started: Started,
  running: Set<Promise<unknown>>,
): Server {
  const server = new Server({ name: 'gantry', version }, { capabilities: { tools: {} }, instructions });
  const results = new Results();

  server.setRequestHandler('tools/list', () => ({ tools: toolDefinitions(started) }));
  server.setRequestHandler('tools/call', async ({ params }, extra) => {
    const { name, arguments: input = {} } = params;
    const call = answer(name, input, extra).catch(failure);
    running.add(call);
    return server.projectCallToolResult(await call.finally(() => running.delete(call)), undefined);
  });
  return server;

  async function answer(name: string, input: Input, extra: ServerContext): Promise<CallToolResult> {
    const asked = await readToolCall(name, input, commands, started);
    if ('result' in asked) return pageResult(results.next(asked.result, asked.from));
    if ('text' in asked) return pageResult(results.first(asked.text, asked.isJson));
    const { command, argv, set } = asked;
    const place = [...settingArguments(context), ...(context.flags.isLocal ? ['--local'] : [])];
    const implied = [...place, ...(command.output === null ? [] : ['--json'])];
    const { signal } = extra.mcpReq;
    const { onLine, sent } = progressTo(extra);
    const outcome = await callCommand(context, [...argv], { implied, signal, onLine });
    await sent();
    return commandResult(outcome, command, set.includes('--jq'));
  }

  function commandResult({ code, stdout, notes }: CallOutcome, { output }: CommandReference, isFiltered: boolean) {
    const hasFailed = code !== exitCodes.ok.code && code !== exitCodes.changes.code;
    const isJson = output === null || isFiltered ? hasFailed : output !== 'stream';
    const text = asText(stdout);
    const page = results.first(text, isJson);
    const value = isJson && page.note === undefined ? parseJsonOr(text, undefined) : undefined;
    return {
      ...pageResult(page, exitText(code), notes.slice(-maxNotes)),
      ...(value !== undefined && { structuredContent: value as CallToolResult['structuredContent'] }),
      isError: hasFailed,
    };
  }
}

function exitText(code: number): string | undefined {
  const [name, { when }] = Object.entries(exitCodes).find(([, each]) => each.code === code) ?? ['', { when: '' }];
  return code === 0 ? undefined : `exit code ${code} (${name}: ${when})`;
}

/** What stderr said is for people; its end says the most. */
const maxNotes = 2_000;

/** Sends what a command prints on stderr as progress, if the client asked for it. Progress must not follow the result. */
function progressTo({ mcpReq: { _meta, notify } }: ServerContext) {
  const progressToken = _meta?.progressToken;
  let progress = 0;
  let sent: Promise<unknown> = Promise.resolve();
  return {
    onLine(message: string): void {
      if (progressToken === undefined) return;
      const params = { progressToken, progress: ++progress, message };
      sent = sent.then(() => notify({ method: 'notifications/progress', params })).catch(() => {});
    },
    sent: () => sent,
  };
}

function pageResult({ text, note }: ResultPage, ...notes: (string | undefined)[]): CallToolResult {
  const more = [note, ...notes].filter(Boolean).join('\n');
  return { content: [{ type: 'text', text }, ...(more ? [{ type: 'text' as const, text: more }] : [])] };
}

function failure(error: unknown): CallToolResult {
  const document = failureJson(toGantryError(error));
  return {
    content: [{ type: 'text', text: stringifyJson(document) }],
    structuredContent: document as unknown as CallToolResult['structuredContent'],
    isError: true,
  };
}

function asText(bytes: Buffer): string {
  const text = bytes.toString();
  return text.includes('�') ? `binary data, ${bytes.length} bytes; copy it to a local file instead` : text;
}

/** What a command has printed, in pieces that may be sent apart. */
interface LongResult {
  pieces: readonly string[];
  /** What a piece is, in the plural. */
  unit: 'entries' | 'lines' | 'parts';
}

type ResultPage = ReturnType<typeof pageOf>;

/** Characters of one answer, about 5,000 tokens. */
const pageSize = 16_000;
/** A longer line is cut into pieces. */
const maxPieceSize = 4_000;
const keptResults = 8;

/** Bounds the size of answers, and keeps results that are longer: asking again might run a command twice. */
class Results {
  readonly #kept = new Map<string, LongResult>();
  #dropped = 0;

  first(printed: string, isJson: boolean): ResultPage {
    const result = divide(printed, isJson);
    const id = `r${this.#kept.size + this.#dropped + 1}`;
    const page = pageOf(result, 0, id);
    if (page.note === undefined) return page;
    this.#kept.set(id, result);
    const [oldest = ''] = this.#kept.keys();
    if (this.#kept.size > keptResults) this.#dropped += Number(this.#kept.delete(oldest));
    return page;
  }

  next(id: string, from: number): ResultPage {
    const result = this.#kept.get(id);
    if (!result) {
      throw new UsageError(`result "${id}" not found`, {
        why: `only the last ${keptResults} long results are kept`,
        fix: 'call the tool again',
      });
    }
    return pageOf(result, Math.min(Math.max(0, from), result.pieces.length), id);
  }
}

function divide(printed: string, isJson: boolean): LongResult {
  const value = isJson ? parseJsonOr(printed, undefined) : undefined;
  if (Array.isArray(value)) return { pieces: value.map((entry) => stringifyJson(entry)), unit: 'entries' };
  if (isRecord(value)) return { pieces: cut(stringifyJson(value)), unit: 'parts' };
  const lines = printed.replace(/\n$/, '').split('\n');
  return { pieces: lines.flatMap((line) => cut(`${line}\n`)), unit: 'lines' };
}

function cut(text: string): string[] {
  return text.length <= pageSize ? [text] : (text.match(new RegExp(`.{1,${maxPieceSize}}`, 'gs')) ?? []);
}

function pageOf({ pieces, unit }: LongResult, from: number, id: string): { text: string; note?: string } {
  let to = from;
  for (let size = 0; to < pieces.length; to++) {
    size += (pieces[to]?.length ?? 0) + 2;
    if (size > pageSize && to > from) break;
  }
  const page = pieces.slice(from, to);
  const text = unit === 'entries' ? `[${page.join(',\n')}]` : page.join('').replace(/\n$/, '');
  if (from === 0 && to === pieces.length) return { text };
  const range = `${unit} ${from + 1} to ${to} of ${pieces.length}`;
  const rest = to < pieces.length ? `; the rest: tool call with {"result": "${id}", "from": ${to}}` : '';
  return { text, note: `${range}${rest}; to get less, pass --jq, --limit or a filter` };
}

/** As the SDK's transport, but requests are answered although stdin has ended, and numbers keep their digits. */
class DrainingTransport implements Transport {
  readonly #failure = new AbortController();
  readonly #unanswered = new Set<unknown>();
  #onAnswered = () => {};
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;

  constructor(private readonly write: (bytes: Uint8Array) => Promise<void>) {}

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message);
    if (!('method' in message)) this.#settle(message.id);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  /** Passes stdin on until it ends and all requests are answered. Throws if stdout fails or at the signal. */
  async pump(stdin: Readable, until: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([until, this.#failure.signal]);
    const aborted = deferred<never>();
    onAbort(signal, () => aborted.reject(signal.reason));
    try {
      signal.throwIfAborted();
      await Promise.race([this.#answerAll(stdin), aborted.promise]);
    } finally {
      // It would keep the process alive.
      stdin.destroy();
    }
  }

  async #answerAll(stdin: Readable): Promise<void> {
    let rest = '';
    for await (const text of stdin.setEncoding('utf8')) {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#read(line);
    }
    this.#read(rest);
    // The SDK begins to answer in a later turn.
    await turn();
    await new Promise<void>((resolve) => {
      this.#onAnswered = resolve;
      this.#settle();
    });
  }

  #read(line: string): void {
    if (line.trim() === '') return;
    try {
      this.#receive(deserializeMessage(line));
    } catch (cause) {
      const error = cause instanceof SyntaxError ? parseError : invalidRequest;
      void this.#write({ jsonrpc: '2.0', id: null, error });
    }
  }

  #receive(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) this.#unanswered.add(message.id);
    this.onmessage?.(message);
    // A canceled request is not answered.
    if ('method' in message && message.method === 'notifications/cancelled') this.#settle(message.params?.requestId);
  }

  #settle(id?: unknown): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#onAnswered();
  }

  async #write(message: object): Promise<void> {
    await this.write(Buffer.from(`${stringifyJson(message)}\n`)).catch((error) => this.#failure.abort(error));
  }
}

const parseError = { code: -32_700, message: 'Parse error' };
const invalidRequest = { code: -32_600, message: 'Invalid Request' };
