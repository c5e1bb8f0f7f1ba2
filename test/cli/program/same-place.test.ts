import { expect, test } from 'vitest';
import { completeFix } from '../../../src/cli/program/complete-fix.ts';
import { inSamePlace, placeBeside } from '../../../src/cli/program/same-place.ts';
import { gantryCommand, sentence, withCommands } from '../../../src/kernel/command-line.ts';
import { type ErrorFacts, UnavailableError } from '../../../src/kernel/errors.ts';
import { gantry, newFolder } from '../../support/index.ts';

test.each([
  ['logs web', 'deploy -p p-2', 'logs web -p p-2'],
  ['logs web', 'deploy --profile=ci --region eu-west-2 -C web', 'logs web --profile=ci --region eu-west-2 -C web'],
  ['logs web', '--local deploy', 'logs web --local'],
  ['logs web -p p-1', 'deploy --project p-2 -C web', 'logs web -p p-1 -C web'],
  ['login --profile ci', 'deploy -p p-2', 'login --profile ci'],
  ['check -C /tmp/web', 'init --cwd web', 'check -C /tmp/web'],
  ['emulator exec -- pytest', 'deploy -p p-2', 'emulator exec -p p-2 -- pytest'],
  ['run main.py --x 1', 'run -p p-2 main.py --x 1', 'run -p p-2 main.py --x 1'],
  ['logs web', 'run main.py -p 3', 'logs web'],
  ['run --local job.py', 'run --timeout 5s job.py --local', 'run --timeout 5s --local job.py'],
  ['run --local job.py', 'run --gpu=H100 -r x --detach job.py --cwd a', 'run --gpu=H100 -r x --detach --local job.py'],
  ['run --name a job.py', 'run --name b -p p-2 job.py::f', 'run -p p-2 --name a job.py'],
  ['run --local job.py', '--json= run --data {} job.py -- --gpu A10', 'run --data {} --local job.py'],
  ['run --help', 'run --gpu H100 job.py', 'run --help'],
  ['logs web', 'run --gpu H100 job.py -p 3', 'logs web'],
  ['projects list', 'apps list -p p-nowhere --profile ci', 'projects list --profile ci'],
  ['config profiles', 'apps list --profile nobody -C web', 'config profiles -C web'],
  ['help topics', 'deploy -p p-2', 'help topics'],
  ['logs web', 'deploy -p', 'logs web'],
  ['login', 'deploy --local', 'login'],
])('%s, said by %s, is typed as %s', (advice, line, typed) => {
  expect(inSamePlace(['gantry', ...advice.split(' ')], line.split(' '))).toEqual(['gantry', ...typed.split(' ')]);
});

test('the command of another program stays as it is', () => {
  expect(inSamePlace(['git', 'lfs', 'fetch'], ['deploy', '-p', 'p-2'])).toEqual(['git', 'lfs', 'fetch']);
});

test('a sentence says what to type where their command line worked', () => {
  const inPlace = placeBeside(['deploy', '-p', 'p-2']);
  const cancel = gantryCommand`builds cancel web b-1`;
  const said = sentence`to cancel it: ${cancel}, or ${gantryCommand`open`}`;
  expect(String(withCommands(said, inPlace))).toBe(
    'to cancel it: gantry builds cancel web b-1 -p p-2, or gantry open -p p-2',
  );
});

test('the fixes of gantry doctor are for the project that it was called with', async () => {
  const { json } = await gantry(['doctor', '-p', 'p-2', '--json'], { cwd: newFolder() });
  const fixes = (json() as { fix?: string }[]).map(({ fix = '' }) => fix).filter((fix) => fix.startsWith('gantry '));
  expect(fixes).not.toEqual([]);
  for (const fix of fixes) expect(fix).toMatch(/^gantry login -p p-2\b/);
});

test('a tool call is told of no next command that is none of its own', async () => {
  const nextOf = async (fix: ErrorFacts['fix'], isForModel: boolean) => {
    const error = new UnavailableError('down', { fix });
    await completeFix(error, { argv: ['apps', 'list'] }, isForModel);
    return error.facts.next && String(error.facts.next);
  };
  expect([await nextOf(gantryCommand`login`, false), await nextOf(gantryCommand`login`, true)]).toEqual([
    'gantry login',
    null,
  ]);
  expect(await nextOf(gantryCommand`whoami --verify`, true)).toBe('gantry whoami --verify');
});

test('a network error leads to gantry doctor, unless it has a fix or there was a reply', async () => {
  const fixOf = async (facts: ConstructorParameters<typeof UnavailableError>[1]) => {
    const error = new UnavailableError('down', facts);
    await completeFix(error, { argv: ['apps', 'list', '-p', 'p-2'] });
    return String(error.facts.fix);
  };
  expect(await fixOf({})).toBe('gantry doctor -p p-2');
  expect(await fixOf({ fix: 'wait' })).toBe('wait');
  expect(await fixOf({ status: 503 })).toBe('undefined');
});
