import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newFolder } from '../support/files.ts';

const program = resolve('bin/gantry.cjs');

/** The shell blocks below a heading, as they are pasted. */
function blocks(heading: string): string {
  const [, section = ''] = readFileSync('README.md', 'utf8').split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block).join('\n');
}

test('the commands of the README can be pasted one after another', { timeout: 120_000 }, async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'gantry'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(folder, 'gantry'), 0o755);
  // The emulator is started by the test.
  const lines = `${blocks('Deploy an app')}\n${blocks('Copy files')}`.replace(/^gantry emulator start$/m, '');
  const args = [program, 'emulator', 'exec', '--', 'bash', '-euo', 'pipefail', '-c', lines];
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, GANTRY_CONFIG_DIR: join(folder, 'settings') };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  expect(lines.match(/^gantry /gm)?.length).toBeGreaterThan(10);
  expect(stdout).toContain('Hello, Ada!');
  expect(readFileSync(join(folder, 'my-app', 'copy', 'main.py'), 'utf8')).toContain('def ');
});
