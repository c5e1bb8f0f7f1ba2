import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { InputNeededError, platformExits } from '../../kernel/errors.ts';
import { timeLeft } from '../../kernel/output/format.ts';
import { keyValueTable } from '../../kernel/output/table.ts';
import { importLogin, type Login, loginByBrowser, loginByToken } from '../../team/account/index.ts';
import { defineCommand } from '../command.ts';
import { boolean, document, list, nullable, optional, text } from '../result-schema.ts';
import { noProject } from '../views/status.ts';

export default defineCommand({
  configure: (command) =>
    command
      .option('--device', 'print a URL and a code instead of opening a browser')
      .option('--token [-]', 'store a token from a prompt or stdin')
      .option('--import [file]', "import the official client's login; - is stdin"),
  flagRules: { excludes: { device: ['token', 'import'], token: ['import'] } },
  run: (context, { device, token, import: file }): Promise<Login> => {
    if (token !== undefined) return loginByToken(context, token);
    if (file !== undefined) return importLogin(context, file);
    if (!device && !context.prompt.isPossible) throw noTerminalError();
    return loginByBrowser(context, { browser: !device });
  },
  view: ({ user, project, profile, expiresAt, renewable, storedIn }) =>
    keyValueTable([
      ['user', user],
      ['project', project ?? noProject],
      ['profile', profile],
      ['expires', renewable ? '' : timeLeft(expiresAt)],
      ['renewed', renewable ? 'automatically' : ''],
      ['stored in', storedIn],
    ]),
  effect: 'changes',
  local: true,
  exits: platformExits,
  ofProfile: true,
  unattended: false,
  json: document({
    profile: text('profile it is stored in'),
    project: nullable(text('project in use'), 'none is selected'),
    user: nullable(text('user of the token')),
    expiresAt: nullable(text('expiry of the token')),
    renewable: boolean('whether it is renewed automatically'),
    storedIn: text('file with the token'),
    region: optional(nullable(text('with --import: imported region'))),
    from: optional(text('with --import: file that was read')),
    imported: optional(list(text('name'), 'with --import: imported keys')),
    skipped: optional(list(text('name'), 'with --import: skipped keys')),
  }),
  examples: ['login', 'login --device', 'login --token < token.txt', 'login --import', 'login --profile work'],
});

/** In a pipeline nobody would see the URL, and the command would wait until the code expires. */
function noTerminalError(): InputNeededError {
  return new InputNeededError('login needs a terminal', {
    fix: sentence`pass a token (${gantryCommand`login --token`} < FILE), or run ${gantryCommand`login --device`}`,
    next: gantryCommand`help environment`,
  });
}
