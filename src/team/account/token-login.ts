import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { AuthError, DeniedError, UsageError } from '../../kernel/errors.ts';
import { findTokenProblem, parseClaims } from '../../platform/config/credentials.ts';
import type { Context } from '../../platform/context.ts';
import type { Project } from '../../platform/contract/session.ts';
import { chooseProject, listTokenProjects } from './choose-project.ts';
import { checkCredentialsWritable, describeLogin, type Login, storeTokens } from './stored-login.ts';

/**
 * Stores a token, such as a service account's, if the platform accepts it. Reads it from a prompt or stdin, never from
 * the arguments. Throws UsageError if it is malformed, AuthError if it is not valid.
 */
export async function loginByToken(context: Context, from: string | true): Promise<Login> {
  if (from !== true && from !== '-') throw tokenInArgumentsError();
  await checkCredentialsWritable(context);
  const token = await readToken(context, from === '-');
  const { project } = parseClaims(token);
  const projects = await listVisibleProjects(context, token, project);
  await storeTokens(context, { token });
  return describeLogin(context.settings, { token }, await chooseProject(context, projects, project));
}

function tokenInArgumentsError(): UsageError {
  return new UsageError('pass the token on stdin, not as an argument: nothing was stored', {
    why: 'arguments are visible in the shell history and to other processes',
    fix: sentence`run ${gantryCommand`login --token`} < FILE, or ${gantryCommand`login --token`} for a prompt; replace the exposed token`,
  });
}

async function readToken({ prompt, readStdin, terminal, now }: Context, piped: boolean): Promise<string> {
  const text =
    terminal.stdin && !piped
      ? await prompt.secret('Token:', { flag: '--token with the token on stdin' })
      : await readStdin();
  const token = text.trim().replace(/^Bearer\s+/i, '');
  if (token === '')
    throw new UsageError('no token on stdin', { fix: sentence`${gantryCommand`login --token`} < FILE` });
  const problem = findTokenProblem({ token }, now());
  if (problem?.why)
    throw new UsageError('invalid token', { why: `it ${problem.why}`, ...(problem.fix && { fix: problem.fix }) });
  if (!problem) return token;
  const fix = 'create a new one in the dashboard, API Keys page';
  throw new AuthError(`${problem.message}: nothing was stored`, { fix });
}

/** Checks the token by listing its projects. A token that cannot list projects still works in the one it claims. */
async function listVisibleProjects(context: Context, token: string, claimed: string | undefined): Promise<Project[]> {
  try {
    return await listTokenProjects(context, token);
  } catch (error) {
    if (error instanceof DeniedError && claimed) return [{ id: claimed }];
    throw error;
  }
}
