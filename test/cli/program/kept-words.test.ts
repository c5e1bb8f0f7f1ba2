import { beforeAll, expect, test } from 'vitest';
import { reference } from '../../../src/cli/reference.ts';
import { lines } from '../../support/command-lines.ts';
import { gantry, newFolder, smallApp } from '../../support/index.ts';

let commands: string[];

beforeAll(async () => {
  const isWhole = (one: { command: string; arguments: { required: boolean }[] }) =>
    lines[one.command] !== undefined || one.arguments.every(({ required }) => !required);
  commands = (await reference()).commands.filter(isWhole).map(({ command }) => command);
});

/** The line may have a secret: only its help is told. */
const isHidden = (typed: readonly string[]) => /^(secrets|login)/.test(typed.join(' '));

async function nextAfter(typed: readonly string[]): Promise<string[]> {
  const { code, json } = await gantry([...typed, '--json']);
  const { error } = json() as { error: { next: string[] } };
  expect([code, typed]).toEqual([2, typed]);
  return error.next;
}

test('of a line with a misspelt flag, the line to type has all other words', async () => {
  for (const command of commands) {
    const words = [...command.split(' '), '-C', 'app', '-p', 'p-1', '--timeout=5s', '--colr', 'never'];
    const typed = [...words, ...(lines[command] ?? [])].filter((word) => word !== '--timeout=5s' || command === 'run');
    const next = await nextAfter(typed);
    const whole = typed.map((word) => (word === '--colr' ? '--color' : word));
    if (isHidden(typed) && !lines[command]?.every((word) => word.startsWith('--'))) {
      expect([next.includes('--help'), (await gantry(next.slice(1))).code]).toEqual([true, 0]);
    } else expect(next).toEqual(['gantry', ...whole, '--json']);
  }
});

test('a flag with a value before the misspelt one takes nothing of the help that is told', async () => {
  const next = await nextAfter(['secrets', 'set', 'token-of-mine', '--from-env-fil', 'hf_secret', 'x']);
  expect([next.join(' ').includes('hf_secret'), (await gantry(next.slice(1))).code]).toEqual([false, 0]);
});

test.each([
  ['secrets set --from-env-fil .env --yes', 'secrets set --from-env-file .env --yes --json'],
  ['secret set HF_TOKEN --from-env', 'secrets set HF_TOKEN --from-env --json'],
  ['secrets set HF_TOKEN --ap web --from-env', 'secrets set HF_TOKEN --app web --from-env --json'],
  ['volume ls', 'volumes list --json'],
  ['run logs web r-1', 'logs web --run r-1 --json'],
])('%s: nothing that is no secret is lost', async (typed, next) => {
  expect((await nextAfter(typed.split(' '))).join(' ')).toBe(`gantry ${next}`);
});

const nextOf = (stdout: string): string[] | undefined =>
  JSON.parse(
    stdout
      .trim()
      .split(/\n(?=\{)/)
      .at(-1) ?? '',
  ).error?.next;

test('the line in gantry words has --json as it is typed', async () => {
  const cwd = newFolder({});
  const { json } = await gantry(['metrics', '--start', '1h', '--json'], { cwd });
  expect((json() as { error: { next: string[] } }).error.next).toEqual([
    ...['gantry', 'metrics', '--since', '1h', '--json', '--live'],
  ]);
});

test('who is not logged in is told the same line for the emulator in the folder of an app, else what sets a token', async () => {
  const app = newFolder({ ...smallApp(), 'inputs.jsonl': '{}\n' });
  const env = { A: 'x' };
  const told = [];
  for (const [command, words] of Object.entries(lines)) {
    const typed = [...command.split(' '), ...words, '--json'];
    const failed = await gantry(typed, { cwd: app, env });
    const next = nextOf(failed.stdout);
    // doctor has a document of what it found.
    if (failed.code !== 4 || !next) continue;
    if (next[1] !== 'login' && next[1] !== 'help')
      expect(next.slice(1).filter((word) => word !== '--local')).toEqual(typed);
    told.push(command);
    const elsewhere = await gantry([...typed, '-p', 'p-1'], { cwd: app, env });
    if (elsewhere.code === 4) expect(nextOf(elsewhere.stdout)?.slice(0, 2)).toEqual(['gantry', 'help']);
  }
  expect(told.length).toBeGreaterThan(30);
});

test('what helps has --json, too, if that follows the file of run', async () => {
  const cwd = newFolder({ 'job.py': '' });
  const { stdout } = await gantry(['-p', 'nosuch', 'run', '--', 'job.py', '--json'], { cwd });
  expect(nextOf(stdout)).toEqual(['gantry', 'projects', 'list', '--json']);
});
