import { expect, test } from 'vitest';
import command from '../../../src/cli/commands/apps/get.ts';
import { plainPage } from '../../support/page.ts';

const shown = (app: object) =>
  command
    .view(
      { id: 'p-1-web', name: 'web', ...app },
      {},
    )(plainPage())
    .split('\n');

test('begins with the last error if the latest build failed', () => {
  const lines = shown({ errorMessage: 'pip install failed', lastBuildStatus: 'build_failure' });
  expect(lines[0]).toMatch(/^last error\s+pip install failed$/);
});

test('begins with the state, and ends with an error of an earlier build, if later ones succeeded', () => {
  const lines = shown({ errorMessage: 'pip install failed', lastBuildStatus: 'ready', status: 'ready' });
  expect(lines.slice(0, 2).join('\n')).toMatch(/name\s+web/);
  expect(lines.at(-1)).toMatch(/^error of an earlier build\s+pip install failed$/);
});
