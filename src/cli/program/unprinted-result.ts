import { gantryCommand } from '../../kernel/command-line.ts';
import { RawOutput } from '../../kernel/output/raw-output.ts';
import type { StdoutError } from '../../kernel/output/render.ts';
import type { Command } from '../command.ts';
import { isStream } from './show-result.ts';

/** What names the outcome of a change. */
const names = ['app', 'build', 'run', 'project', 'profile', 'secret', 'path', 'status'];

/** Adds to the error of a result that could not be written that the command has changed something all the same. */
export function unprintedResult(error: StdoutError, value: unknown, { data }: Pick<Command, 'data'>): StdoutError {
  const { facts } = error;
  if (isStream(value)) {
    facts.why = 'the result is missing, not the work: what the command had done by then stays';
    facts.fix = gantryCommand`status`;
    return error;
  }
  const document = value instanceof RawOutput ? {} : (Object(data(value)) as Record<string, unknown>);
  const known = names.flatMap((name) => (typeof document[name] === 'string' ? [[name, document[name]] as const] : []));
  const { app } = Object.fromEntries(known);
  const outcome = known.map(([name, text]) => `${name} ${text}`).join(', ');
  facts.why = `the command has done its work${outcome && `: ${outcome}`}`;
  facts.fix = app ? gantryCommand`status ${app}` : gantryCommand`status`;
  facts.details = Object.fromEntries(known);
  return error;
}
