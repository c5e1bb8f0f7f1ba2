import { parseClaims } from '../../config/credentials.ts';
import type { Context } from '../../context.ts';
import type { Project } from '../../contract/projects.ts';
import { AuthError, DeniedError, UsageError } from '../../errors.ts';
import { localTime } from '../../output/format.ts';
import { chooseProject, listTokenProjects } from './choose-project.ts';
import { checkCredentialsWritable, describeLogin, type Login, storeTokens } from './stored-login.ts';

/**
 * Stores an existing token, such as a service account's, once the server accepts it. It comes from a prompt or stdin,
 * never from the command line. Throws UsageError for text that is not a token, AuthError for one that is not valid.
 */
export async function loginByToken(context: Context, from: string | true): Promise<Login> {
  if (from !== true && from !== '-') throw tokenInArgumentsError();
  await checkCredentialsWritable(context);
  const token = await readToken(context, from === '-');
  const { project, expiresAt } = parseClaims(token);
  if (expiresAt !== undefined && expiresAt <= context.now()) {
    throw new AuthError(`the token expired on ${localTime(new Date(expiresAt).toISOString())}: nothing was stored`, {
      fix: 'create a new one in the dashboard, API Keys page',
    });
  }
  const projects = await listVisibleProjects(context, token, project);
  await storeTokens(context, { token });
  return describeLogin(context.settings, { token }, await chooseProject(context, projects, project));
}

function tokenInArgumentsError(): UsageError {
  return new UsageError('--token takes no token: nothing was stored', {
    why: 'the shell keeps what is typed here, and others on this machine can read it while it runs',
    fix: 'gantry login --token < FILE, or gantry login --token to be asked; make a new token in place of that one',
  });
}

async function readToken({ prompt, readStdin, terminal }: Context, piped: boolean): Promise<string> {
  const text =
    terminal.stdin && !piped
      ? await prompt.secret('Token:', { flag: '--token with the token on stdin' })
      : await readStdin();
  const token = text.trim().replace(/^Bearer\s+/i, '');
  if (token === '') throw new UsageError('no token came on stdin', { fix: 'gantry login --token < FILE' });
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError('that is no token', { why: 'it has spaces, line breaks or letters that no token has' });
  }
  return token;
}

/** The server's word on the token. One that may not list projects still works in the project of its claims. */
async function listVisibleProjects(context: Context, token: string, claimed: string | undefined): Promise<Project[]> {
  try {
    return await listTokenProjects(context, token);
  } catch (error) {
    if (error instanceof DeniedError && claimed) return [{ id: claimed }];
    throw error;
  }
}
