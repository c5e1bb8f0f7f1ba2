import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  appCommands,
  commandSpellings,
  flagRefusals,
  flagSpellings,
  operandFlags,
  refusals,
} from '../../../src/cli/program/spellings.ts';
import { translateSpellings } from '../../../src/cli/program/translate-spellings.ts';
import { divideLine } from '../../../src/cli/program/typed-command.ts';
import { reference } from '../../../src/cli/reference.ts';
import { UsageError } from '../../../src/kernel/errors.ts';

const metricsLine = 'metrics web --since 2026-11-20T00:00:00Z --until 2026-11-21T00:00:00Z --json';

/** What is typed, and what it means here. Every row of the tables occurs. */
const rows: [typed: string, here: string][] = [
  ['app list', 'apps list'],
  ['app get p-12345678-web', 'apps get p-12345678-web'],
  ['project list', 'projects list'],
  ['project set p-12345678', 'projects use p-12345678'],
  ['projects set p-12345678', 'projects use p-12345678'],
  ['projects get', 'whoami'],
  ['project current', 'whoami'],
  ['projects current --json', 'whoami --json'],
  ['region get', 'config get region'],
  ['region set us-east-1', 'config set region us-east-1'],
  ['config get default-region', 'config get region'],
  ['config set default-region eu-north-1', 'config set region eu-north-1'],
  ['secrets ls', 'secrets list'],
  ['config ls', 'config list'],
  ['emulator ls', 'emulator list'],
  ['service-accounts ls', 'service-accounts list'],
  ['api-keys ls', 'api-keys list'],
  ['config show', 'config list'],
  ['emulator status', 'emulator list'],
  ['secrets add A --app web', 'secrets set A --app web'],
  ...['apps', 'builds', 'runs', 'projects', 'users'].map((of): [string, string] => [`${of} ls`, `${of} list`]),
  ['undeploy web', 'apps delete web'],
  ['apps describe web', 'apps get web'],
  ['apps show web --json', 'apps get web --json'],
  ['runs stop web r-1 --yes', 'runs cancel web r-1 --yes'],
  ['deployments list web', 'builds list web'],
  ['volumes ls', 'volumes list'],
  ['volumes du /models', 'volumes usage /models'],
  ['volumes upload data /data', 'cp data :/data'],
  ['volumes download /data', 'cp :/data data'],
  ['secrets import .env --yes', 'secrets set --from-env-file .env --yes'],
  ['secrets set --env-file .env --app web --yes', 'secrets set --from-env-file .env --app web --yes'],
  ['builds logs', 'logs --build'],
  ['builds logs web', 'logs web --build'],
  ['builds logs 0a1b2c3d', 'logs --build 0a1b2c3d'],
  ['builds log web b-1 --json --tail 5 -p p-1', 'logs web --build b-1 --json --tail 5 -p p-1'],
  ['runs log web', 'logs web --run latest'],
  ['runs logs 11111111-1111-4111-8111-111111111111 -f', 'logs --run 11111111-1111-4111-8111-111111111111 -f'],
  ['-C app runs logs web r-1 --tail 5', 'logs web --run r-1 -C app --tail 5'],
  ['invoke web --json-body {} --stream', 'invoke web --data {} --stream'],
  ['invoke web --payload=@in.json', 'invoke web --data @in.json'],
  ['invoke web --function price sku=x', 'invoke web price sku=x'],
  ['invoke --function price web', 'invoke web price'],
  ['map web in.jsonl -o out.jsonl --workers 4', 'map web in.jsonl -o out.jsonl --concurrency 4'],
  ['map web in.jsonl --parallel=4', 'map web in.jsonl --concurrency 4'],
  ['deploy --wait --name web', 'deploy --name web'],
  ['deploy --no-wait --json', 'deploy --detach --json'],
  ['deploy --async', 'deploy --detach'],
  ['logs web --lines 20', 'logs web --tail 20'],
  ['logs web --limit=20', 'logs web --tail 20'],
  ['logs web --failed --json', 'logs web --run latest:failed --json'],
  ['logs web --errors', 'logs web --run latest:failed'],
  ['logs web --status failure', 'logs web --run latest:failed'],
  ['ls -r /models --json', 'ls -R /models --json'],
  ['apps scale --app web --min-replicas 1', 'apps scale web --min-replicas 1'],
  ['rollback --app=web --yes', 'rollback web --yes'],
  ['rollback web --to b-1 --yes', 'rollback web b-1 --yes'],
  ['runs list --app web --limit 3', 'runs list web --limit 3'],
  ['runs get --run r-1 --app web', 'runs get web r-1'],
  ['runs cancel web --run r-1', 'runs cancel web r-1'],
  ['explain web --run r-1', 'explain web r-1'],
  ['explain --build b-1', 'explain b-1'],
  ['builds get web --build b-1', 'builds get web b-1'],
  ['ps web', 'apps containers web'],
  ['up --yes', 'deploy --yes'],
  ['push -n web', 'deploy -n web'],
  ['serve', 'dev'],
  ['top web', 'metrics --live web'],
  ['tail web', 'logs -f web'],
  ['replicas web', 'apps containers web'],
  ['apps replicas web', 'apps containers web'],
  ['runs list web --slow', 'runs list web --response 1s..'],
  ['runs list web --slowest', 'runs list web --response 1s..'],
  ['logs web --last', 'logs web --run latest'],
  ['secrets delete A --app web', 'secrets unset A --app web'],
  ['secrets ls --app web -o json', 'secrets list --app web --json'],
  ['runs list web --status error', 'runs list web --status failed'],
  ['containers list web', 'apps containers web'],
  ['skill', 'help agents'],
  ['version', '--version'],
  ['version --json', '--version --json'],
  ['version --check', 'doctor'],
  ['list', 'apps list'],
  ['delete web', 'apps delete web'],
  ['download models/a.bin', 'cp :/models/a.bin a.bin'],
  ['download models/', 'cp :/models/ models'],
  ['download /', 'cp :/ .'],
  ['download models/a.bin ./b.bin', 'cp :/models/a.bin ./b.bin'],
  ['download results.json -r eu-north-1', 'cp :/results.json results.json --region eu-north-1'],
  ['upload model.bin', 'cp model.bin :/'],
  ['upload model.bin models/model.bin', 'cp model.bin :/models/model.bin'],
  ['apps list -o json', 'apps list --json'],
  ['apps list --output json', 'apps list --json'],
  ['apps list --output=json', 'apps list --json'],
  ['apps list -ojson', 'apps list --json'],
  ['apps list -o table', 'apps list'],
  ['-o json app list', '--json apps list'],
  ['-o json', '--json'],
  ['--verbose --no-color', '--debug --color never'],
  ['--project p-12345678 app list', '--project p-12345678 apps list'],
  ['--profile work app list', '--profile work apps list'],
  ['-C services/web app list', '-C services/web apps list'],
  ['apps list --no-color', 'apps list --color never'],
  ['--no-ansi apps list', '--color never apps list'],
  ['deploy --disable-animation', 'deploy --color never'],
  ['deploy --no-color=false', 'deploy'],
  ['apps list -v', 'apps list --debug'],
  ['--verbose deploy', '--debug deploy'],
  ['deploy --disable-confirmation', 'deploy --yes'],
  ['deploy --disable-syntax-check', 'deploy'],
  ['apps scale web --cooldown 30', 'apps scale web --cooldown 30s'],
  ['app scale web --response-grace-period=900', 'apps scale web --response-grace-period 900s'],
  ['logs web --no-follow', 'logs web'],
  ['logs web --container-id 7f9c', 'logs web --container 7f9c'],
  ['logs web --no-follow --since 1w', 'logs web --since 7d'],
  ['ls -r us-east-1', 'ls --region us-east-1'],
  ['ls models -rus-east-1', 'ls models --region us-east-1'],
  ['cp model.bin -r global', 'cp model.bin --region global'],
  ['run -r us-east-1 main.py::run', 'run --region us-east-1 main.py::run'],
  ['init my-app --dir apps', 'init apps/my-app'],
  ['init --dir ./ my-app', 'init my-app'],
  ['get p-12345678-web', 'apps get p-12345678-web'],
  ['scale web --cooldown 60', 'apps scale web --cooldown 60s'],
  ['secrets remove A', 'secrets unset A'],
  ['config profiles delete staging', 'config profiles remove staging'],
  ['profile delete staging', 'config profiles remove staging'],
  ['profile use work', 'config profiles use work'],
  ['runs list web --failed', 'runs list web --status failed'],
  ['runs chart web --errors', 'runs chart web --status failed'],
  ['call web -d {}', 'invoke web --data {}'],
  ['call web --body=@in.json', 'invoke web --data @in.json'],
  ['docs --print', 'open docs --print'],
  ['deploy --disable-predict -y', 'deploy -y'],
  ['deploy -y --log-level debug', 'deploy -y --log-level DEBUG'],
  ['metrics resources web --start 2026-11-20T00:00:00Z --end 2026-11-21T00:00:00Z -o json', metricsLine],
  ['metrics startup web --container-id 7f9c', 'metrics --startup web --container 7f9c'],
  // As the Go client takes them: joined, with a value, before the command.
  ['deploy -yv', 'deploy -y --debug'],
  ['-vy deploy', '--debug -y deploy'],
  ['deploy --detach=true --yes=false', 'deploy --detach'],
  ['deploy -y=true', 'deploy -y'],
  ['runs list web --async=false', 'runs list web'],
  ['--no-follow logs web', 'logs web'],
  ['--name web --no-color deploy', '--color never deploy --name web'],
  ['-r us-east-1 run main.py::run --n 5', '--region us-east-1 run main.py::run --n 5'],
];

const words = (line: string) => line.split(' ').filter(Boolean);

test.each(rows)('%s means %s', async (typed, here) => {
  expect((await divideLine(translateSpellings(words(typed))?.argv ?? [])).typed).toEqual(words(here));
});

test('a time in the form of the official client is a local time', () => {
  expect(translateSpellings(['logs', 'web', '--since', '2026-11-20 10:00:00'])?.argv).toEqual([
    ...['logs', 'web', '--since', '2026-11-20T10:00:00'],
  ]);
});

test.each([
  ['config edit', 'does not open its settings in an editor', /gantry config set NAME VALUE/],
  ['config telemetry disable', 'no telemetry', /^undefined$/],
  ['config set telemetry false', 'no telemetry', /^undefined$/],
  ['config set log-level debug', 'no log level', /--debug/],
  ['config set skip-version-check true', 'no setting for update checks', /^undefined$/],
  ['config get telemetry', 'no telemetry', /^undefined$/],
  ['config get log-level', 'no log level', /--debug/],
  ['config get skip-version-check', 'no setting for update checks', /^undefined$/],
  ['deploy --token private-1', 'a token is not passed', /GANTRY_TOKEN/],
  ['region', 'the region is a setting', /^gantry config get region$/],
  ['apps delete web --force', 'named, not forced', /--confirm NAME/],
  ['apps prune -f', 'named, not forced', /--confirm NAME/],
  ['secrets set --file .env', 'the file of one secret', /--from-env-file FILE/],
  ['secrets get A', 'shown in a list', /^gantry secrets list --show-values$/],
  ['upgrade', 'does not replace itself', /^gantry doctor$/],
  ['update', 'does not replace itself', /^gantry doctor$/],
  ...Object.keys(refusals)
    .filter((name) => /^(service-accounts|api-keys|users|tokens?) /.test(name))
    .map((name): [string, string, RegExp] => [`${name} ci`, 'only in the dashboard', /^gantry open project$/]),
  ['apps list -o yaml', 'tables or JSON', /--json/],
  ['cp -r ./folder :/folder', 'copied with their contents', /gantry cp FOLDER :\/FOLDER/],
  ['cp --recursive data models', 'copied with their contents', /leave the flag out/],
  ['download -R models', 'copied with their contents', /leave the flag out/],
  ['rm -rf models', 'cannot be forced', /gantry rm -r PATH --confirm PATH/],
  ['rm -f model.bin', 'cannot be forced', /--yes/],
  ['rm models -fr --force', 'cannot be forced', /--yes/],
  ['logs web --tail', 'requires a number', /-f to follow/],
  ['logs web --tail --no-color', 'requires a number', /-f to follow/],
  ['deploy --force', 'nothing to force', /^gantry deploy$/],
  ['deploy --force-rebuild -y', 'nothing to force', /^gantry deploy$/],
  ['sync -av . :/x', 'copied with their contents', /leave the flag out/],
  ['deploy --partial', 'sends all files', /^gantry deploy$/],
  ['deploy --hardware A10 controlnet private-646e', 'settings of an app are in cerebrium.toml', /cerebrium\.toml/],
  ['deploy lama --gpu A10', 'settings of an app are in cerebrium.toml', /cerebrium\.toml/],
  ['deploy lama --api-key private-25d0', 'not passed as an argument', /GANTRY_TOKEN/],
  ['login private-25d0', 'not passed as an argument', /gantry login --token < FILE/],
  ['secrets add TOKEN hf-abc', 'cannot be passed as arguments', /^gantry secrets set TOKEN$/],
])('%s is refused with what to type', (typed, message, fix) => {
  const error = thrownBy(() => translateSpellings(words(typed), true));
  expect(error.message).toContain(message);
  expect(String(error.facts.fix)).toMatch(fix);
  expect(error.message + error.facts.why + error.facts.fix).not.toMatch(/private-|hf-abc/);
});

describe('a secret on the command line', () => {
  test.each([
    [
      'deploy --service-account-token T-1 -y',
      ['deploy', '-y'],
      { CEREBRIUM_SERVICE_ACCOUNT_TOKEN: 'T-1', GANTRY_TOKEN: '' },
    ],
    [
      '--service-account-token=T-1 app list',
      ['apps', 'list'],
      { CEREBRIUM_SERVICE_ACCOUNT_TOKEN: 'T-1', GANTRY_TOKEN: '' },
    ],
  ])('%s passes the token in the environment, with a warning', (typed, argv, env) => {
    const found = translateSpellings(words(typed));
    expect(found).toMatchObject({ argv, env, secrets: ['T-1'] });
    expect(found?.warning).toMatch(/visible .* set GANTRY_TOKEN instead$/);
  });

  test.each([
    ['save-auth-config T-1', { serviceaccounttoken: 'T-1' }, ['T-1']],
    ['save-auth-config T-1 R-1 p-1', { accesstoken: 'T-1', refreshtoken: 'R-1', project: 'p-1' }, ['T-1', 'R-1']],
    ['save-auth-config T-1 --project-id p-2', { serviceaccounttoken: 'T-1', project: 'p-2' }, ['T-1']],
  ])('%s imports the tokens from stdin, with a warning', (typed, stored, secrets) => {
    const found = translateSpellings(words(typed));
    expect(found).toMatchObject({ argv: ['login', '--import', '-'], secrets });
    expect(JSON.parse(found?.input ?? '')).toEqual(stored);
    expect(found?.warning).toContain('GANTRY_TOKEN');
  });

  test('of secrets add travels on stdin, with a warning', () => {
    const found = translateSpellings(['secrets', 'add', 'A=1', 'B=x=y z', '--app', 'web']);
    expect(found).toMatchObject({
      argv: ['secrets', 'set', '--from-env-file', '-', '--app', 'web'],
      secrets: ['1', 'x=y z'],
    });
    expect(JSON.parse(found?.input ?? '')).toEqual({ A: '1', B: 'x=y z' });
    expect(found?.warning).toContain('gantry secrets set A, which asks for it');
  });
});

test.each([
  ['deplyo'],
  ['apps list --bogus'],
  ['deploy --dry-run -o app.zip --bogus'],
  ['init --dir apps'],
  ['emulator exec -- app list -o json'],
  ['run main.py --no-color --verbose'],
  ['logs web --tail 5 --bogus'],
  ['download'],
])('%s is not of the official client, or not clear: it stays as it is', (typed) => {
  expect(translateSpellings(words(typed))).toBeUndefined();
});

test('every spelling has a row here and stands in the guide for switchers', () => {
  const typed = rows.map(([line]) => line);
  const guide = readFileSync('docs/switching.md', 'utf8');
  const names = [
    ...Object.keys(commandSpellings),
    ...Object.keys(refusals),
    ...['secrets import', 'builds logs', 'runs logs', ...operandFlags.map(({ name }) => name)],
    ...['download', 'upload', 'save-auth-config', 'secrets add', 'init', '--service-account-token', '--dir'],
    ...[...flagSpellings, ...flagRefusals].flatMap(({ names: spelled }) => spelled),
  ];
  const isListing = (name: string) => name.endsWith(' ls') && guide.includes('`ls` in place of `list`');
  expect(names.filter((name) => !guide.includes(name) && !isListing(name))).toEqual([]);
  const untested = [
    ...Object.keys(commandSpellings),
    ...flagSpellings.flatMap(({ names: spelled }) => spelled),
    ...operandFlags.map(({ name }) => name),
  ];
  expect(untested.filter((name) => !typed.some((line) => line.includes(name)))).toEqual([]);
});

test('--app is understood by each command whose first argument is an app', async () => {
  const { commands } = await reference();
  const ofApps = commands.filter((one) => one.arguments[0]?.name === 'app' && !one.flags.some(isAppFlag));
  expect(commands.filter(({ command }) => appCommands.test(command))).toEqual(ofApps);
});

const isAppFlag = ({ flags }: { flags: string }) => /--app\b/.test(flags);

function thrownBy(call: () => unknown): UsageError {
  try {
    call();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
