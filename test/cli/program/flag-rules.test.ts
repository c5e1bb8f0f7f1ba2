import { expect, test } from 'vitest';
import { type FlagReference, reference } from '../../../src/cli/reference.ts';
import { emulatorForAll, gantry } from '../../support/index.ts';

const emulator = emulatorForAll();

/** Arguments of commands whose flags need others. */
const operands: Record<string, string[]> = {
  invoke: ['web'],
  'runs chart': ['web'],
  map: ['web', 'inputs.jsonl', '-o', 'results.jsonl'],
  metrics: ['web'],
  sync: ['a', ':/b'],
  'secrets set': ['NAME'],
};
const values: Record<string, string> = { integer: '1', number: '1', duration: '5m' };

const { commands } = await reference();
const lone = commands.flatMap(({ command, flags }) =>
  flags.flatMap((flag) => (flag.requires ? [[command, flag] as [string, FlagReference]] : [])),
);
const typed = ({ flags, valueRequired, value }: FlagReference) => {
  const [name = ''] = /--[\w-]+/.exec(flags) ?? [];
  return valueRequired ? [name, values[value ?? ''] ?? 'x'] : [name];
};

test('the reference says what a flag needs', () => {
  const found = lone.map(
    ([command, { flags, requires }]) => `${command} ${flags.split(' ')[0]} ${requires?.join('|')}`,
  );
  for (const pair of [
    'deploy --detailed-exit-code --dry-run',
    'deploy --files --dry-run',
    'deploy --or-rollback --watch|--smoke',
    'invoke --webhook-secret-file --webhook|--await-webhook',
    'metrics --for --live',
    'secrets set --keep-newline --from-file',
    'sync --confirm --delete',
  ])
    expect(found).toContain(pair);
});

test.each(lone)('gantry %s refuses a flag without its partner: %o', async (command, flag) => {
  const words = [...command.split(' '), ...(operands[command] ?? []), ...typed(flag)];
  const { code, stdout, stderr } = await gantry(words, { emulator });
  expect([code, stdout, emulator.calls]).toEqual([2, '', []]);
  expect(stderr).toContain(
    `error: ${typed(flag)[0]} requires ${flag.requires?.join(' or ')}\n  fix gantry ${words.join(' ')} --`,
  );
});

test.each([
  ['deploy --dry-run --detach', '--detach and --dry-run'],
  ['deploy --dry-run --if-busy wait', '--if-busy and --dry-run'],
  ['deploy --dry-run --apply-plan plan.json', '--apply-plan and --dry-run'],
  ['deploy --watch 1m --dry-run', '--watch and --dry-run'],
  ['deploy --watch 1m --detach', '--watch and --detach'],
  ['apps list --all --limit 3', '--all and --limit'],
  ['login --device --import', '--device and --import'],
  ['login --import --token', '--token and --import'],
  ['logs web --build --run r-1', '--build and --run'],
  ['invoke web --stream --async', '--stream and --async'],
  ['secrets set NAME --from-file - --from-env', '--from-file and --from-env'],
])('gantry %s is refused', async (line, flags) => {
  const { code, stderr } = await gantry(line.split(' '), { emulator });
  expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${flags} cannot be combined\n`)]);
});
