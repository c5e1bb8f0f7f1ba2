import parseArgs from 'string-argv';
import { beforeAll, expect, test } from 'vitest';
import { emulatorForAll, gantry, newFolder, type Setting, smallApp } from '../support/index.ts';

/** Command lines as people type them by mistake. All run in the folder of an app. */
const mistakes = `
# misspelt commands
deplyo
aps list
apps lst
apps delte web --confirm web
build list
builds lst
log
logss
invok web
rns list
runs lsit
run list
metric web
metrics web --start-up
secret list
secrets lst
projects us p-12345678
statsu
whomai
chek
intit my-app
explian
roolback
config gte project
# apps, builds and runs that are not there
logs wbe
logs Transcribr
apps get wbe
invoke wbe prompt=hello
builds list webb
builds get web 0000001
builds get web 11111111-1111-4111-8111-111111111111
runs get web 0000001
runs get web 11111111-1111-4111-8111-111111111111
runs list wbe
metrics wbe --startup
apps containers wbe
open wbe
apps scale wbe --min-replicas 1
cost wbe
explain wbe
rollback wbe
logs --run 0000001
builds get latest:broken
runs cancel web latest
# what is missing
apps delete
builds cancel
builds cancel web
runs cancel web
users invite ada@example.com
projects use
secrets set
secrets set API_KEY
secrets unset
api GET
config set region
config get
cp
sync a
rm
apps delete web
rm :/nothing
# flags
deploy --detailed-exit-code
deploy --files
deploy --save-plan plan.json
deploy --or-rollback
secrets set NAME --keep-newline
logs --folow
logs --tial 5
logs --sinse 1h
deploy --dryrun
deploy --detatch
apps list --jsn
runs list --limt 3
runs list --status fail
runs list --status-code 5xx
runs list --since tomorrow
logs --since 1hour
apps scale --min-replicas one
metrics --resolution max
apps scale --min 1 --dry-run
apps scale --min=1 --dry-run
runs list --limt=3
deploy --if-busy stop
# values
config set region mars
config set regoin us-east-1
config set packing-cache yes
config set project web
users invite ada@example.com --role admn
users invite ada --role member
plan set gold
# habits of gh, kubectl, modal, the official client
app logs web
secrets set NAME=value
auth login
login --token abc
deploy web
`;

const lines = mistakes.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

const app = newFolder(smallApp());
let here: Setting;

const emulator = emulatorForAll({ real: false, seed: 1 });

beforeAll(() => {
  here = { emulator, cwd: app };
});

test.each([
  ['apps scale --min 1 --dry-run', 'apps scale --min-replicas 1 --dry-run'],
  ['apps scale --min=1 --dry-run', 'apps scale --min-replicas=1 --dry-run'],
  ['runs list --limt=3', 'runs list --limit=3'],
])('%s: did you mean %s', async (line, meant) => {
  const outcome = await gantry(line.split(' '), here);
  expect(outcome).toExit(2, /^error: unknown flag "--\S+": did you mean --\S+\?\n/, `\n  fix gantry ${meant}\n`);
});

test('a word that begins several flags suggests none of them', async () => {
  const { code, stderr } = await gantry(['apps', 'scale', '--m', '1'], here);
  expect([code, stderr]).toEqual([2, 'error: unknown flag "--m"\n  fix gantry apps scale --help\n']);
});

/** Lines that need an account, a terminal or minutes: only their words are checked. */
const notRun = /^(deploy|rollback|login|init|dev|secrets)\b/;

test('at least 95 % of mistakes are answered with the line to type, and that line works', async () => {
  const unanswered: string[] = [];
  const broken: string[] = [];
  const fixes = new Set<string>();
  for (const line of lines) {
    const { code, stderr } = await gantry(line.split(' '), here);
    expect([0, 70], `${line}\n${stderr}`).not.toContain(code);
    const [, fix] = /\n {2}fix .*?gantry (.*)\n/.exec(stderr) ?? [];
    if (fix === undefined || fix.endsWith('--help')) unanswered.push(line);
    else fixes.add(fix.replace(/ \(.*| shows .*/, ''));
  }
  for (const fix of fixes) {
    const words = parseArgs(fix);
    const { code, stderr } = await gantry(notRun.test(fix) ? [...words, '--help'] : words, here);
    if (code === 2 || code === 70) broken.push(`${fix}\n${stderr}`);
  }
  expect(broken).toEqual([]);
  expect(lines.length).toBeGreaterThan(60);
  expect(unanswered.length, unanswered.join('\n')).toBeLessThanOrEqual(lines.length * 0.05);
});

test.each([
  ['cp -p model.bin :/', /^error: invalid project id "model.bin"\n/],
  ['cp model.bin s3://default/model.bin', /^ {2}fix gantry cp model.bin default:\/model.bin$/m],
  ['ls s3://default/', /^ {2}fix gantry ls default:\/$/m],
  ['r2 object put x', /^error: unknown command "r2"\n {2}fix gantry --help\n$/],
  ['domains ls', /^error: unknown command "domains"\n {2}fix gantry --help\n$/],
  ['secrets rm A', /^error: unknown command "rm"\n {2}fix gantry secrets unset A\n$/],
  ['apps rm web', /^error: unknown command "rm"\n {2}fix gantry apps delete web\n$/],
  ['runs rm r-1', /^error: unknown command "rm"\n {2}fix gantry runs --help\n$/],
  ['volumes rm a', /^error: unknown command "rm"\n {2}fix gantry volumes --help\n$/],
  ['mcp ls', /^error: unknown command "ls"\n {2}fix gantry mcp --help\n$/],
  ['plan status', /^error: unknown command "status"\n {2}fix gantry plan --help\n$/],
  ['volumes cat a', /^error: unknown command "cat"\n {2}fix gantry cat a\n$/],
  ['restart web', /^error: unknown command "restart"\n {2}fix gantry apps restart web\n$/],
  ['cancel r-1', /^error: unknown command "cancel"\n {2}fix gantry builds cancel r-1, or gantry runs cancel r-1\n$/],
  ['init web --compute GPU', /^ {2}fix for example: gantry init web --compute TURING_T4$/m],
  ['run --compute gpu x.py', /^ {2}fix for example: gantry run --compute TURING_T4 x.py$/m],
  ['domain', /^error: unknown command "domain"\n {2}fix gantry --help\n$/],
])('%s is not taken for something else', async (line, shown) => {
  const { code, stderr } = await gantry(line.split(' '), { emulator });
  expect([code, stderr.replace(/^project .*\n/, '')]).toEqual([2, expect.stringMatching(shown)]);
});

test.each([
  ['config profiles use', 'config profiles --help'],
  ['cp', 'cp --help'],
  ['cp FILES.txt :/models --updat', 'cp FILES.txt :/models --update --json'],
  ['cp my_FILE :/models --updat', 'cp my_FILE :/models --update --json'],
])('a line for programs has no word that a person is to replace: %s', async (line, next) => {
  const { json } = await gantry([...line.split(' '), '--json'], {});
  expect(json()).toMatchObject({ error: { next: ['gantry', ...next.split(' ')] } });
});
