import { type CallToolResult, Server, type ServerContext } from '@modelcontextprotocol/server';
import type { Effect } from '../command.ts';
import { gantryCommand } from '../command-line.ts';
import type { Context } from '../context.ts';
import { DeniedError, exitCodes, UsageError } from '../errors.ts';
import { parseJson, stringifyJson } from '../json-text.ts';
import { failureJson } from '../output/failure.ts';
import { type CommandReference, outputSchemaOf } from '../reference.ts';
import { version } from '../version.ts';
import { type CallOutcome, callCommand } from './call.ts';
import type { IdleWatch } from './idle-watch.ts';
import { argvOf, commandInput } from './input.ts';
import { type ResultPage, Results } from './results.ts';
import { settingArguments } from './setting-arguments.ts';
import { type CommandTool, type ToolDefinition, toolDefinition } from './tools.ts';

interface ToolServerOptions {
  context: Context;
  tools: readonly CommandTool[];
  allowed: readonly Effect[];
  /** Commands that run; the server waits for them when it ends. */
  running: Set<Promise<unknown>>;
  idle: IdleWatch;
}

type Input = Record<string, unknown>;

/** The server of one connection. */
export function createToolServer({ context, tools, allowed, running, idle }: ToolServerOptions): Server {
  const server = new Server({ name: 'gantry', version }, { capabilities: { tools: {} }, instructions });
  const results = new Results();
  const offered = tools.filter(({ commands }) => commands.every(({ effect }) => allowed.includes(effect)));

  server.setRequestHandler('tools/list', () => ({ tools: [...offered.map(toolDefinition), ...ownTools] }));
  server.setRequestHandler('tools/call', async ({ params }, extra) => {
    const { name, arguments: input = {} } = params;
    const call = answer(name, input, extra).catch(failure);
    running.add(call);
    return server.projectCallToolResult(await call.finally(() => running.delete(call)), undefined);
  });
  return server;

  async function answer(name: string, input: Input, extra: ServerContext): Promise<CallToolResult> {
    if (name === 'more') return pageResult(results.next(String(input.result), startOf(input)));
    if (name === 'describe') return pageResult(results.first(await description(input, tools), 'document'));
    const tool = tools.find((each) => each.name === name);
    if (!tool)
      throw new UsageError(`unknown tool "${name}"`, { why: `tools: ${offered.map((each) => each.name).join(', ')}` });
    const { command, properties } = chooseCommand(tool, input, tools);
    if (!allowed.includes(command.effect)) throw refusal(command);
    if (!tool.commands.includes(command)) throw otherTool(command, tools);
    const argv = ['--no-input', ...settingArguments(context), ...argvOf(command, properties)];
    if (command.output !== null) argv.unshift('--json');
    const { signal } = extra.mcpReq;
    const progress = new ProgressReport(extra);
    const outcome = await callCommand(context, argv, { signal, idle, onLine: (line) => progress.report(line) });
    await progress.sent();
    return commandResult(outcome, command, properties.jq !== undefined);
  }

  function commandResult({ code, stdout, notes }: CallOutcome, { output }: CommandReference, isFiltered: boolean) {
    const form = output === 'list' || output === 'document' ? output : 'lines';
    const text = asText(stdout);
    const page = results.first(text, isFiltered && code === 0 ? 'lines' : form);
    const exitName = Object.entries(exitCodes).find(([, each]) => each.code === code);
    const exit =
      code === 0 ? undefined : `exit code ${code}${exitName ? ` (${exitName[0]}: ${exitName[1].when})` : ''}`;
    const value = page.note === undefined && form !== 'lines' && !isFiltered ? parsedOr(text) : undefined;
    return {
      ...pageResult(page, exit, notes.slice(-maxNotes)),
      ...(value !== undefined && { structuredContent: value as CallToolResult['structuredContent'] }),
      isError: code !== exitCodes.ok.code && code !== exitCodes.changes.code,
    };
  }
}

/** What stderr said is for people; its end says the most. */
const maxNotes = 2_000;

const instructions = `gantry deploys and manages apps on the hosting platform. A tool is a command, or a group of
commands chosen by "command"; properties are the arguments and flags of the command line. Call describe for the flags,
exit codes and JSON fields of a command. Every call also takes "jq" (filters the result), "cwd" (folder) and "project". An error has code, message, why and fix;
"next" is the command that fixes it. What deletes needs "confirm" with the name, or "yes". Long work (deploy, run,
invoke, builds follow, runs follow) takes "timeout"; exit code 8 means that it continues remotely.`.replaceAll(
  '\n',
  ' ',
);

const text = { type: 'string' };

const ownTools: ToolDefinition[] = [
  {
    name: 'describe',
    description: 'a command in full: its input, the JSON Schema of its result, exit codes, examples',
    inputSchema: {
      type: 'object',
      properties: { command: { ...text, description: 'such as apps get' } },
      required: ['command'],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'more',
    description: 'the rest of a long result',
    inputSchema: {
      type: 'object',
      properties: { result: text, from: { type: 'integer' } },
      required: ['result', 'from'],
    },
    annotations: { readOnlyHint: true },
  },
];

function startOf({ from = 0 }: Input): number {
  const start = Number(from);
  if (Number.isInteger(start) && start >= 0) return start;
  throw new UsageError('invalid property "from": expected a whole number from 0 up');
}

async function description({ command: line }: Input, tools: readonly CommandTool[]): Promise<string> {
  for (const tool of tools) {
    const command = tool.commands.find(({ command }) => command === line);
    if (!command) continue;
    const { usage, summary, details, effect, exitCodes, examples } = command;
    const output = command.output === null ? null : await outputSchemaOf(command.command);
    const facts = { tool: tool.name, usage, summary, details, effect, input: commandInput(command), output };
    return stringifyJson({ ...facts, exitCodes, examples });
  }
  const lines = tools.flatMap(({ commands }) => commands.map(({ command }) => command));
  throw new UsageError(`unknown command "${line}"`, { why: `commands: ${lines.join(', ')}` });
}

/** A command of the tool, or the one of its noun that was meant: models write `list` for `apps list`. */
function chooseCommand(tool: CommandTool, input: Input, tools: readonly CommandTool[]) {
  const { name, commands } = tool;
  const [only] = commands;
  if (only && commands.length === 1 && input.command === undefined) return { command: only, properties: input };
  const { command: line, ...properties } = input;
  const ofNoun = tools.filter((each) => nounOfTool(each) === nounOfTool(tool)).flatMap((each) => each.commands);
  const spelled = [String(line), `${nounOfTool(tool)} ${line}`];
  const meant = [
    ofNoun.filter(({ command }) => spelled.includes(command)),
    ofNoun.filter(({ command }) => command.endsWith(` ${line}`)),
  ].find(({ length }) => length > 0);
  if (meant?.[0] && meant.length === 1) return { command: meant[0], properties };
  const message = line === undefined ? `${name} requires "command"` : `${name} has no command "${line}"`;
  throw new UsageError(message, { why: `its commands: ${commands.map(({ command }) => command).join(', ')}` });
}

const nounOfTool = ({ name }: CommandTool) => name.replace(/_(change|destroy)$/, '');

/** What a client may call without asking depends on the tool. */
function otherTool(command: CommandReference, tools: readonly CommandTool[]): UsageError {
  const tool = tools.find(({ commands }) => commands.includes(command));
  return new UsageError(`${command.command} belongs to another tool`, { fix: `call ${tool?.name}` });
}

function refusal({ command, effect }: CommandReference): DeniedError {
  const flag = effect === 'destroys' ? '--allow-destroy' : '--allow-changes';
  return new DeniedError(`gantry ${command} is not allowed here`, {
    why: `this server was started without ${flag}`,
    fix: gantryCommand`mcp ${flag}`,
  });
}

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

function parsedOr(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
