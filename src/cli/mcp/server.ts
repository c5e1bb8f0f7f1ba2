import { type CallToolResult, Server, type ServerContext } from '@modelcontextprotocol/server';
import { exitCodes } from '../../kernel/errors.ts';
import { parseJsonOr, stringifyJson } from '../../kernel/json-text.ts';
import { failureJson } from '../../kernel/output/failure.ts';
import { version } from '../../kernel/version.ts';
import type { Context } from '../../platform/context.ts';
import type { CommandReference } from '../reference.ts';
import { type CallOutcome, callCommand } from './call.ts';
import type { IdleWatch } from './idle-watch.ts';
import { argvOf } from './input.ts';
import { type ResultPage, Results } from './results.ts';
import type { Input, ToolSet } from './tool-set.ts';

interface ToolServerOptions {
  context: Context;
  toolSet: ToolSet;
  /** Commands that run; the server waits for them when it ends. */
  running: Set<Promise<unknown>>;
  idle: IdleWatch;
}

/** The server of one connection. */
export function createToolServer({ context, toolSet, running, idle }: ToolServerOptions): Server {
  const { definitions, instructions, pager } = toolSet;
  const server = new Server({ name: 'gantry', version }, { capabilities: { tools: {} }, instructions });
  const results = new Results(pager);

  server.setRequestHandler('tools/list', () => ({ tools: [...definitions] }));
  server.setRequestHandler('tools/call', async ({ params }, extra) => {
    const { name, arguments: input = {} } = params;
    const call = answer(name, input, extra).catch(failure);
    running.add(call);
    return server.projectCallToolResult(await call.finally(() => running.delete(call)), undefined);
  });
  return server;

  async function answer(name: string, input: Input, extra: ServerContext): Promise<CallToolResult> {
    const asked = await toolSet.read(name, input);
    if ('result' in asked) return pageResult(results.next(asked.result, asked.from));
    if ('text' in asked) return pageResult(results.first(asked.text, asked.form));
    const { command, properties } = asked;
    const argv = argvOf(command, properties);
    if (command.output !== null) argv.unshift('--json');
    const { signal } = extra.mcpReq;
    const progress = new ProgressReport(extra);
    const outcome = await callCommand(context, argv, { signal, idle, onLine: (line) => progress.report(line) });
    await progress.sent();
    return commandResult(outcome, command, properties.jq !== undefined);
  }

  function commandResult({ code, stdout, notes }: CallOutcome, { output }: CommandReference, isFiltered: boolean) {
    const hasFailed = code !== exitCodes.ok.code && code !== exitCodes.changes.code;
    const printed = output === null && hasFailed ? 'document' : output;
    const form = printed === 'list' || printed === 'document' ? printed : 'lines';
    const text = asText(stdout);
    const page = results.first(text, isFiltered && code === 0 ? 'lines' : form);
    const exitName = Object.entries(exitCodes).find(([, each]) => each.code === code);
    const exit =
      code === 0 ? undefined : `exit code ${code}${exitName ? ` (${exitName[0]}: ${exitName[1].when})` : ''}`;
    const value = page.note === undefined && form !== 'lines' && !isFiltered ? parseJsonOr(text, undefined) : undefined;
    return {
      ...pageResult(page, exit, notes.slice(-maxNotes)),
      ...(value !== undefined && { structuredContent: value as CallToolResult['structuredContent'] }),
      isError: hasFailed,
    };
  }
}

/** What stderr said is for people; its end says the most. */
const maxNotes = 2_000;

/** Sends what a command prints on stderr as progress, if the client asked for it. */
class ProgressReport {
  readonly #extra: ServerContext;
  #count = 0;
  #sent: Promise<unknown> = Promise.resolve();

  constructor(extra: ServerContext) {
    this.#extra = extra;
  }

  report(message: string): void {
    const { _meta, notify } = this.#extra.mcpReq;
    const progressToken = _meta?.progressToken;
    if (progressToken === undefined) return;
    this.#count += 1;
    const params = { progressToken, progress: this.#count, message };
    this.#sent = this.#sent.then(() => notify({ method: 'notifications/progress', params })).catch(() => {});
  }

  /** Progress must not follow the result. */
  async sent(): Promise<void> {
    await this.#sent;
  }
}

function pageResult({ text, note }: ResultPage, ...notes: (string | undefined)[]): CallToolResult {
  const more = [note, ...notes].filter(Boolean).join('\n');
  return { content: [{ type: 'text', text }, ...(more ? [{ type: 'text' as const, text: more }] : [])] };
}

function failure(error: unknown): CallToolResult {
  const document = failureJson(error);
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
