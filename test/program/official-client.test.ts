import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import {
  commandSpellings,
  flagSpellings,
  refusals,
  translateOfficialClient,
} from '../../src/program/official-client.ts';

/** What is typed, and what it means here. Every row of the tables occurs. */
const rows: [typed: string, here: string][] = [
  ['app list', 'apps list'],
  ['app get p-12345678-web', 'apps get p-12345678-web'],
  ['project list', 'projects list'],
  ['project set p-12345678', 'projects use p-12345678'],
  ['projects set p-12345678', 'projects use p-12345678'],
  ['region get', 'config get region'],
  ['region set us-east-1', 'config set region us-east-1'],
  ['config get default-region', 'config get region'],
  ['config set default-region eu-north-1', 'config set region eu-north-1'],
  ['secrets ls', 'secrets list'],
  ...[
    'apps',
    'builds',
    'runs',
    'containers',
    'projects',
    'users',
    'service-accounts',
    'api-keys',
    'profiles',
    'config',
  ].map((group): [string, string] => [`${group} ls`, `${group} list`]),
  ['apps show web', 'apps get web'],
  ['builds show web b-1', 'builds get web b-1'],
  ['runs show web r-1', 'runs get web r-1'],
  ['apps rm web --confirm web', 'apps delete web --confirm web'],
  ['secrets rm A', 'secrets unset A'],
  ['secrets delete A --app web', 'secrets unset A --app web'],
  ['profiles rm old', 'profiles remove old'],
  ['secrets ls --app web -o json', 'secrets list --app web --json'],
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
];

const words = (line: string) => line.split(' ').filter(Boolean);

test.each(rows)('%s means %s', (typed, here) => {
  expect(translateOfficialClient(words(typed))?.argv).toEqual(words(here));
});

test('a time in the form of the official client is a local time', () => {
  expect(translateOfficialClient(['logs', 'web', '--since', '2026-11-20 10:00:00'])?.argv).toEqual([
    ...['logs', 'web', '--since', '2026-11-20T10:00:00'],
  ]);
});

test.each([
  ['config edit', 'does not open its settings in an editor', /gantry config set NAME VALUE/],
  ['config telemetry disable', 'no telemetry', /^undefined$/],
  ['config set telemetry false', 'no telemetry', /^undefined$/],
  ['config set log-level debug', 'no log level', /--debug/],
  ['config set skip-version-check true', 'no setting for update checks', /^undefined$/],
  ['region', 'the region is a setting', /^gantry config get region$/],
])('%s is refused with what to type', (typed, message, fix) => {
  const error = thrownBy(() => translateOfficialClient(words(typed)));
  expect(error.message).toContain(message);
  expect(String(error.facts.fix)).toMatch(fix);
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
    const found = translateOfficialClient(words(typed));
    expect(found).toMatchObject({ argv, env, secrets: ['T-1'] });
    expect(found?.warning).toMatch(/visible .* set GANTRY_TOKEN instead$/);
  });

  test.each([
    ['save-auth-config T-1', { serviceaccounttoken: 'T-1' }, ['T-1']],
    ['save-auth-config T-1 R-1 p-1', { accesstoken: 'T-1', refreshtoken: 'R-1', project: 'p-1' }, ['T-1', 'R-1']],
    ['save-auth-config T-1 --project-id p-2', { serviceaccounttoken: 'T-1', project: 'p-2' }, ['T-1']],
  ])('%s imports the tokens from stdin, with a warning', (typed, stored, secrets) => {
    const found = translateOfficialClient(words(typed));
    expect(found).toMatchObject({ argv: ['login', '--import', '-'], secrets });
    expect(JSON.parse(found?.input ?? '')).toEqual(stored);
    expect(found?.warning).toContain('GANTRY_TOKEN');
  });

  test('of secrets add travels on stdin, with a warning', () => {
    const found = translateOfficialClient(['secrets', 'add', 'A=1', 'B=x=y z', '--app', 'web']);
    expect(found).toMatchObject({ argv: ['secrets', 'import', '-', '--app', 'web'], secrets: ['1', 'x=y z'] });
    expect(JSON.parse(found?.input ?? '')).toEqual({ A: '1', B: 'x=y z' });
    expect(found?.warning).toContain('gantry secrets set A B');
  });
});

test.each([
  ['deplyo'],
  ['apps list --bogus'],
  ['apps list -o yaml'],
  ['cp -r ./folder :/folder'],
  ['package -o app.zip --bogus'],
  ['secrets add TOKEN'],
  ['init --dir apps'],
  ['emulator exec -- app list -o json'],
  ['run main.py --no-color --verbose'],
  ['download'],
])('%s is not of the official client, or not clear: it stays as it is', (typed) => {
  expect(translateOfficialClient(words(typed))).toBeUndefined();
});

test('every spelling has a row here and stands in the guide for switchers', () => {
  const typed = rows.map(([line]) => line);
  const guide = readFileSync('docs/switching.md', 'utf8');
  const names = [
    ...Object.keys(commandSpellings),
    ...Object.keys(refusals),
    ...['download', 'upload', 'save-auth-config', 'secrets add', 'init', '--service-account-token', '--dir'],
    ...flagSpellings.flatMap(({ names: spelled }) => spelled),
  ];
  const isListing = (name: string) => name.endsWith(' ls') && guide.includes('`ls` in place of `list`');
  expect(names.filter((name) => !guide.includes(name) && !isListing(name))).toEqual([]);
  const untested = [...Object.keys(commandSpellings), ...flagSpellings.flatMap(({ names: spelled }) => spelled)];
  expect(untested.filter((name) => !typed.some((line) => line.includes(name)))).toEqual([]);
});

function thrownBy(call: () => unknown): UsageError {
  try {
    call();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
