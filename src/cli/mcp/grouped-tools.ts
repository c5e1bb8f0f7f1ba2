import { UsageError } from '../../kernel/errors.ts';
import type { Effect } from '../command.ts';
import type { CommandReference } from '../reference.ts';
import { askedPage, checkAllowed, describeInFull, type Input, sharedInstructions, type ToolSet } from './tool-set.ts';
import { type CommandTool, commandTools, type ToolDefinition, toolDefinition } from './tools.ts';

/** A tool for each noun and effect. */
export function groupedTools(commands: readonly CommandReference[], allowed: readonly Effect[]): ToolSet {
  const tools = commandTools(commands);
  const offered = tools.filter((tool) => tool.commands.every(({ effect }) => allowed.includes(effect)));
  return {
    definitions: [...offered.map(toolDefinition), ...ownTools],
    instructions,
    pager: 'more',
    read(name, input) {
      if (name === 'more') return askedPage(input);
      if (name === 'describe') return describe(input, tools);
      const tool = tools.find((each) => each.name === name);
      if (!tool) {
        const why = `tools: ${offered.map((each) => each.name).join(', ')}`;
        throw new UsageError(`unknown tool "${name}"`, { why });
      }
      const asked = chooseCommand(tool, input, tools);
      checkAllowed(asked.command, allowed);
      if (!tool.commands.includes(asked.command)) throw otherTool(asked.command, tools);
      return asked;
    },
  };
}

const instructions = `gantry deploys and manages apps on the hosting platform. A tool is a command, or a group of commands chosen by "command"; properties are the arguments and flags of the command line. Call describe for the flags, exit codes and JSON fields of a command. Every call also takes "jq" (filters the result), "cwd" (folder), "config-file" and "project". What deletes needs "confirm" with the name, or "yes". ${sharedInstructions}`;

const text = { type: 'string' };

const ownTools: ToolDefinition[] = [
  {
    name: 'describe',
    description: 'a command in full: input, JSON Schema of the result, exit codes, examples',
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

function describe({ command: line }: Input, tools: readonly CommandTool[]) {
  for (const tool of tools) {
    const command = tool.commands.find(({ command }) => command === line);
    if (command) return describeInFull(command, { tool: tool.name });
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
