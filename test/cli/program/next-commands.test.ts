import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { answered, nextAfterError, usualCommands } from '../../../src/cli/program/next-commands.ts';
import { type Reference, reference } from '../../../src/cli/reference.ts';
import { type ExitName, exitCodes, GantryError } from '../../../src/kernel/errors.ts';
import { loadCommand } from '../../support/commands.ts';
import { gantry, newFolder } from '../../support/index.ts';

let program: Reference;

beforeAll(async () => {
  program = await reference();
});

/** These say what to do about a failure, or follow what still runs; `deploy` also how to call the app, `status` what replaces old replicas. */
const ownNext = [
  ...['deploy', 'run', 'invoke', 'map', 'explain', 'apps get', 'builds get', 'runs get', 'builds compare'],
  ...['volumes verify', 'secrets set', 'secrets unset', 'status'],
];

test('only these say what usually follows', async () => {
  expect(Object.keys(usualCommands)).toEqual(['init', 'login']);
  const declared = [];
  for (const { command } of program.commands) {
    const source = String((await loadCommand(command)).next);
    if (!/=>\s*\[\]$/.test(source)) declared.push(command);
  }
  expect(declared.sort()).toEqual([...ownNext].sort());
});

test('a result names the commands that follow, with its values and where it worked', async () => {
  const folder = newFolder({});
  const { json } = await gantry(['-C', folder, 'init', 'web', '--json', '--profile', 'default']);
  expect(json()).toMatchObject({
    next: [
      { argv: ['gantry', 'dev', join(folder, 'web'), '-C', folder, '--profile', 'default'] },
      { argv: ['gantry', 'deploy', '-C', join(folder, 'web'), '--local'] },
    ],
  });
});

test.each([
  ['secrets set A', 'secrets set A --from-env'],
  ['secrets set A --from-file key.pem', 'secrets set A --from-file key.pem'],
  ['rollback web', 'rollback web --yes'],
  ['rollback web -y', 'rollback web -y'],
  ['rollback web --dry-run', 'rollback web --dry-run'],
])('for programs, %s has the flag that answers what it asks', (line, expected) => {
  expect(answered(['gantry', ...line.split(' ')]).join(' ')).toBe(`gantry ${expected}`);
});

describe('after an error', () => {
  test.each((Object.keys(exitCodes) as ExitName[]).filter((name) => name !== 'ok' && name !== 'changes'))(
    '%s: every command has a command line that gantry knows',
    (exit) => {
      for (const { command } of program.commands) {
        const next = nextAfterError(new Failure(exit), [...command.split(' '), 'web', '--limit=5']);
        // The files mend what check finds.
        if (!next) expect([command, exit]).toEqual(['check', 'project']);
        if (!next) continue;
        expect(next[0], command).toBe('gantry');
        const name = [next.slice(1, 3).join(' '), next[1]];
        const isGroup = Object.hasOwn(program.groups, next[1] ?? '');
        expect(isGroup || program.commands.some((each) => name.includes(each.command)), next.join(' ')).toBe(true);
      }
    },
  );

  test('what the same line does not cure is never answered with the same line', () => {
    const cured = ['unavailable', 'rate-limited', 'interrupted', 'terminated', 'ok', 'changes'];
    for (const exit of (Object.keys(exitCodes) as ExitName[]).filter((name) => !cured.includes(name)))
      for (const { command } of program.commands) {
        for (const details of [{}, { app: 'web' }, { app: 'web', run: 'r-1' }]) {
          const line = [...command.split(' '), '.', '--debug', '--timeout=2s'];
          expect(nextAfterError(new Failure(exit, { details }), line), exit).not.toEqual(['gantry', ...line]);
        }
      }
  });

  test.each<[string, ExitName, string, string]>([
    ['a value of a global flag is no command', 'usage', '--profile prod apps get', 'apps get --help --profile prod'],
    ['letters that are joined', 'usage', '-yqp p-2 whoami --frob', 'whoami --help -p p-2'],
    ['a missing app', 'not-found', 'invoke web', 'apps list'],
    ['a missing file on a volume', 'not-found', 'cat /x', 'ls'],
    ['a folder is kept', 'project', '-C app deploy', 'check -C app'],
    ['the log of the app that failed', 'app-error', 'invoke web -p p-1', 'logs web -p p-1'],
    ['the same again', 'unavailable', 'apps list --json', 'apps list --json'],
    ['more to see of a script', 'bug', '-C app run --gpu H100 a.py --n 1', '-C app run --debug --gpu H100 a.py --n 1'],
    ['more to see', 'bug', 'run a.py -- x', 'run --debug a.py -- x'],
  ])('%s', (_, exit, line, expected) => {
    expect(nextAfterError(new Failure(exit), line.split(' '))?.join(' ')).toBe(`gantry ${expected}`);
  });

  test.each([
    ['--port 4415 -C app', '-C app --port 0'],
    ['--port=4415', '--port 0'],
    ['-C app', '-C app --port 0'],
  ])('another value of a flag takes the place of that in %s', (typed, expected) => {
    const failed = new Failure('failed', { retryWith: ['--port', '0'] });
    expect(nextAfterError(failed, ['dev', ...typed.split(' ')])?.join(' ')).toBe(`gantry dev ${expected}`);
  });

  test.each([[['--yes']], [['--confirm', 'web']]])(
    'a confirmation that is missing is not filled in: %s',
    (retryWith) => {
      for (const { command } of program.commands)
        for (const exit of ['input-needed', 'conflict'] as const)
          expect(nextAfterError(new Failure(exit, { retryWith }), command.split(' '))).toBeUndefined();
    },
  );

  test('what is canceled, deleted or replaced is a command to read first', () => {
    const destroying = program.commands.filter(({ effect }) => effect === 'destroys').map(({ command }) => command);
    for (const line of [...destroying, 'builds cancel', 'runs cancel'].filter((line) => line !== 'secrets set'))
      expect(answered(['gantry', ...line.split(' '), 'web'])).toEqual(['gantry', ...line.split(' '), 'web']);
  });

  test('the log of the build that failed', () => {
    const failed = new Failure('build-failed', { details: { app: 'web', build: 'b-1' } });
    expect(nextAfterError(failed, ['deploy'])).toEqual(['gantry', 'logs', 'web', '--build', 'b-1']);
  });
});

class Failure extends GantryError {
  constructor(
    override readonly exit: ExitName,
    facts = {},
  ) {
    super('failed', facts);
  }
}
