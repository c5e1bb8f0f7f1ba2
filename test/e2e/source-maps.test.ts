import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The built program, with a mistake in its command line. */
function failing(...flags: string[]): string {
  const { stderr } = spawnSync(process.execPath, ['bin/gantry.cjs', 'apps', 'delete', ...flags], { encoding: 'utf8' });
  return stderr;
}

test('the stack that --debug prints names files and lines of src', () => {
  const stack = failing('--debug');
  const [, file = '', line] = /^ +at .*\((?:.*[\\/])?(src[\\/][\w./\\-]+\.ts):(\d+):\d+\)$/m.exec(stack) ?? [];
  expect(readFileSync(file, 'utf8').split('\n')[Number(line) - 1]).toContain('new UsageError(');
  expect(stack).not.toContain('.cjs:');
});

test('without --debug there is no stack', () => {
  expect(failing()).toBe('error: missing argument <app>\n  fix for example: gantry apps delete web\n');
});
