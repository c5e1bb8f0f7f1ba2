import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { machine, newFolder } from '../support/index.ts';

const action = load(readFileSync('action.yml', 'utf8')) as { runs: { steps: { run?: string }[] } };
const scripts = action.runs.steps.flatMap(({ run }) => (run && /GITHUB_(ENV|OUTPUT)"/.test(run) ? [run] : []));

/** What the step of the action writes to the files of GitHub. */
function written(index: number, inputs: Record<string, string>) {
  const folder = newFolder();
  const files = Object.fromEntries(['ENV', 'OUTPUT', 'PATH'].map((name) => [`GITHUB_${name}`, join(folder, name)]));
  const given = { VERSION: '1.2.3', TOKEN: '', PROJECT: '', FOLDER: '/gantry', GITHUB_ACTION_PATH: '.', ...inputs };
  const { status } = spawnSync('bash', ['-e', '-c', scripts[index] ?? ''], { env: machine({ ...files, ...given }) });
  const read = (name: string) => spawnSync('cat', [join(folder, name)], { encoding: 'utf8' }).stdout;
  return { status, written: read('ENV') + read('OUTPUT') };
}

describe('the action', () => {
  test.each<[number, Record<string, string>]>([
    [0, { VERSION: '1.2.3\nLD_PRELOAD=/evil' }],
    [0, { VERSION: '1.2.3\rLD_PRELOAD=/evil' }],
    [1, { TOKEN: 'token\nLD_PRELOAD=/evil' }],
    [1, { PROJECT: 'p-1\nLD_PRELOAD=/evil' }],
    [1, { PROJECT: 'p-1\r' }],
  ])('refuses a line break in an input: %i %j', (index, inputs) => {
    expect(written(index, inputs)).toEqual({ status: 1, written: '' });
  });

  test('takes a secret that ends with a line break', () => {
    expect(written(0, {})).toEqual({ status: 0, written: 'version=1.2.3\n' });
    expect(written(1, { TOKEN: 'token\n', PROJECT: 'p-1' })).toEqual({
      status: 0,
      written: 'GANTRY_TOKEN=token\nGANTRY_PROJECT=p-1\n',
    });
  });
});
