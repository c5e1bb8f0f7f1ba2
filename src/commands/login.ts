import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { InputNeededError, UsageError } from '../errors.ts';
import { importLogin, type Login, loginByBrowser, loginByToken } from '../operations/account/index.ts';
import { timeLeft } from '../output/format.ts';
import { keyValueTable } from '../output/table.ts';

export default defineCommand({
  configure: (command) =>
    command
      .option('--no-browser', 'print the link, open no browser')
      .option('--device', 'print a link and a code to log in elsewhere; works without a terminal')
      .option('--token [-]', 'store a token that you have: it is asked for, or read from stdin')
      .option('--import [file]', "take the login of the official client's config.yaml"),
  run: (context, options): Promise<Login> => logIn(context, options),
  view: ({ user, project, profile, expiresAt, renewable, storedIn }) =>
    keyValueTable([
      ['user', user],
      ['project', project ?? 'none yet: gantry projects use p-…'],
      ['profile', profile],
      ['expires', renewable ? '' : timeLeft(expiresAt)],
      ['renewed', renewable ? 'automatically' : ''],
      ['stored in', storedIn],
    ]),
  json: {
    profile: 'the profile it belongs to',
    project: 'the project to work in from now on; null when none is chosen',
    user: 'who the token is for',
    expiresAt: 'end of the token',
    renewable: 'whether it is renewed when it ends',
    storedIn: 'the file the token is in',
    region: 'with --import: the region taken over',
    from: 'with --import: the file that was read',
    taken: 'with --import: the keys that were taken over',
    left: 'with --import: the keys that were not',
  },
  examples: ['login', 'login --device', 'login --token < token.txt', 'login --import', 'login --profile work'],
});

interface LoginFlags {
  browser: boolean;
  device?: true | undefined;
  token?: string | true | undefined;
  import?: string | true | undefined;
}

function logIn(context: Context, { browser, device, token, import: file }: LoginFlags): Promise<Login> {
  const given = [device && '--device', token !== undefined && '--token', file !== undefined && '--import'];
  const [one, other] = given.filter(Boolean);
  if (other) throw new UsageError(`${one} and ${other} cannot be combined`);
  if (token !== undefined) return loginByToken(context, token);
  if (file !== undefined) return importLogin(context, file);
  if (!device && !context.prompt.isPossible) throw nobodyThere();
  return loginByBrowser(context, { browser: browser && !device });
}

/** Waiting for a person would last until the code expires: in a pipeline nobody sees the link. */
function nobodyThere(): InputNeededError {
  return new InputNeededError('login needs a person, but there is no terminal', {
    fix: 'gantry login --token < FILE stores a token; gantry login --device prints a link and waits',
  });
}
