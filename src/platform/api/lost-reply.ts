import { type CommandLine, gantryCommand } from '../../kernel/command-line.ts';
import { GantryError, InterruptedError, UnavailableError, UnexpectedReplyError } from '../../kernel/errors.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { wasRefused } from './transient-failures.ts';
import { ConnectionError } from './transport.ts';

/** What was not repeated may have taken effect: adds that to the error, with the command that shows it. */
export function explainLostReply(error: unknown, look: CommandLine): unknown {
  if (!(error instanceof GantryError && mayHaveHappened(error))) return error;
  error.facts.why = error.facts.why ? `${error.facts.why}; ${mayHave}` : mayHave;
  Object.assign(error.facts, { fix: look, retryWith: undefined });
  return error;
}

const mayHave = 'the request may have taken effect';

/** Whether a request that failed so may have taken effect. */
export function mayHaveHappened(error: unknown): boolean {
  if (!(error instanceof GantryError)) return false;
  if (error instanceof ConnectionError) return error.mayHaveArrived;
  if (error instanceof InterruptedError || error instanceof UnexpectedReplyError) return true;
  const isRefused = wasRefused(error.facts);
  return error instanceof UnavailableError && !isRefused;
}

/** The command that shows whether a request took effect that is not repeated. */
export function lookCommandFor({ route }: Pick<Endpoint, 'route'>, parameters: object): CommandLine | undefined {
  const { app, body } = parameters as { app?: string; body?: { name?: string } };
  return looks[route]?.({ app: app ?? '', name: body?.name ?? '' });
}

const looks: Record<string, (of: { app: string; name: string }) => CommandLine> = {
  'POST /v2/projects/{project}/apps': ({ name }) => gantryCommand`builds list ${name}`,
  'POST /v2/projects/{project}/partner-apps': ({ name }) => gantryCommand`builds list ${name}`,
  'POST /v3/projects/{project}/apps/{app}/run': ({ app }) => gantryCommand`runs list ${app}`,
  'POST /v2/projects/{project}/users': () => gantryCommand`users list`,
  'PATCH /v2/projects/{project}/subscription': () => gantryCommand`open`,
  'PATCH /v2/projects/{project}/secrets': () => gantryCommand`secrets list`,
  'PATCH /v2/projects/{project}/apps/{app}/secrets': ({ app }) => gantryCommand`secrets list --app ${app}`,
};
