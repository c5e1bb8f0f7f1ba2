import { Command as Commander, Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { addGlobalFlags } from '../../../src/cli/program/command-tree.ts';
import { formsOf, readWords } from '../../../src/cli/program/read-words.ts';
import { divideLine, readTypedCommand } from '../../../src/cli/program/typed-command.ts';
import { reference } from '../../../src/cli/reference.ts';
import { loadCommand } from '../../support/commands.ts';

const { commands } = await reference();

/** The flags of each command, and of every command, without what checks their values. */
const tables: [command: string, options: Option[]][] = [
  ['gantry', [...addGlobalFlags(new Commander()).options]],
  ...(await Promise.all(
    commands.map(async ({ command }): Promise<[string, Option[]]> => {
      const commander = new Commander();
      (await loadCommand(command)).configure(commander as never);
      return [command, [...commander.options]];
    }),
  )),
];

/** What commander makes of a line: each flag with its value, and the operands. */
function asParsed(options: readonly Option[], words: readonly string[]) {
  const read: [flag: string | undefined, value: string | undefined][] = [];
  const commander = new Commander();
  for (const { flags, long, short } of options) {
    const option = new Option(flags);
    commander.addOption(option);
    commander.on(`option:${option.name()}`, (value: unknown) =>
      read.push([long ?? short, typeof value === 'string' ? value : undefined]),
    );
  }
  const { operands, unknown } = commander.parseOptions([...words]);
  return { flags: read, operands: [...operands, ...unknown.filter((word) => !word.startsWith('-'))] };
}

function asRead(options: readonly Option[], words: readonly string[]) {
  const parts = readWords(words, formsOf(options));
  const longs = options.map(({ long, short }) => long ?? short);
  return {
    flags: parts.flatMap(({ long = '', value }) => (longs.includes(long) ? [[long, value]] : [])),
    operands: parts.filter(({ name }) => name === undefined).flatMap((part) => part.words),
  };
}

describe.each(tables)('the flags of %s', (_, options) => {
  const names = options.flatMap(({ long, short }) => [long, short].flatMap((name) => name ?? []));
  const letters = options.filter(({ short, required }) => short && !required).map(({ short }) => short);

  test('are read as the parser reads them', () => {
    // Its fields are always joined to it before it is parsed.
    for (const name of names.filter((each) => each !== '--json')) {
      const { required, optional } = options.find(({ long, short }) => [long, short].includes(name)) ?? {};
      const lines = [
        [name, 'x', 'y'],
        ...(required ? [] : [['x', name]]),
        ['x', name, 'y'],
        ['x', name, '-', 'y'],
        ['x', '--bogus', name, 'y', '-Z', 'z'],
        ...(required
          ? [
              ['x', name, '-1', 'y'],
              ['x', name, '', 'y'],
            ]
          : []),
        ...(required || optional ? [['x', name.startsWith('--') ? `${name}=-y` : `${name}y`, 'z']] : []),
        ...(name.startsWith('--') ? [] : letters.map((letter) => [`${letter}${name.slice(1)}`, 'x', 'y'])),
      ];
      for (const line of lines) expect(asRead(options, line), line.join(' ')).toEqual(asParsed(options, line));
    }
  });

  test('end at two dashes', () => {
    for (const name of names) expect(asRead(options, ['x', '--', name, 'y'])).toEqual({ flags: [], operands: ['x'] });
  });
});

test.each([
  ['ls -lq', 'ls -l -q', 'ls -l -q'],
  ['rm -ry /x', 'rm -r -y /x', 'rm -r -y /x'],
  ['logs -fn5 web', 'logs -f -n5 web', 'logs -f -n5 web'],
  ['ls -lp p-1', 'ls -l -p p-1', 'ls -l -p p-1'],
  ['-q --dry-run deploy', '-q deploy --dry-run', '-q deploy --dry-run'],
  ['--name deploy deploy -y', 'deploy --name deploy -y', 'deploy --name deploy -y'],
  ['apps --ephemeral list', 'apps list --ephemeral', 'apps list --ephemeral'],
  ['web -lq ls', 'web -lq ls', 'web -lq ls'],
  ['--app rollback status --yes', 'status --app rollback --yes', 'status --app rollback --yes'],
  ['--function run invoke web', 'invoke --function run web', 'invoke --function run web'],
  ['-q --app web apps get', '-q apps get --app web', '-q apps get --app web'],
  ['-r /d rm', 'rm -r /d', 'rm -r /d'],
  ['--detach run -q f.py -lq --json=', 'run --detach -q f.py -lq --json=', 'run --json= --detach -q f.py'],
  ['run -- f.py -lq', 'run -- f.py -lq', 'run -- f.py'],
])('%s is %s', async (line, typed, parsed) => {
  const divided = await divideLine(line.split(' '));
  expect([divided.typed.join(' '), divided.words.join(' ')]).toEqual([typed, parsed]);
});

test.each([
  ['deploy --name --dry-run', '--name'],
  ['deploy --name -- --dry-run', '--name'],
  ['ls -qp -l', '--project'],
  ['apps list --region', '--region'],
])('%s lacks a value', async (line, flag) => {
  await expect(divideLine(line.split(' '))).rejects.toThrow(`${flag} requires a value`);
});

test.each(['deploy --name=-x', 'logs --since -1h', 'invoke web --data -', 'ls -C-x'])('%s has it', async (line) => {
  expect((await divideLine(line.split(' '))).typed.join(' ')).toBe(line);
});

test.each([
  ['-qp p-1 apps get web', ['apps', 'get'], ['-p', 'p-1']],
  ['-pp-1 apps get web', ['apps', 'get'], ['-pp-1']],
  ['apps get web --project=p-1 -y', ['apps', 'get'], ['--project=p-1']],
  ['apps get web -- -p p-1', ['apps', 'get'], []],
  ['--json apps get', ['apps', 'get'], []],
  ['run -qp p-1 job.py -C x', ['run'], ['-p', 'p-1']],
])('%s names its command and says where it works', (line, path, selection) => {
  const typed = readTypedCommand(line.split(' '));
  expect([typed.path, typed.selection.flatMap(({ words }) => words)]).toEqual([path, selection]);
});
