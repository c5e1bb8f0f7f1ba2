import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { globalFlags, reference } from '../../src/cli/reference.ts';
import { newFolder } from '../support/files.ts';

/** What Node reads behind the name of a script, too, in any supported version. */
const ofNode = [
  '--env-file',
  '--env-file-if-exists',
  '--experimental-config-file',
  '--experimental-default-config-file',
];

test('Node takes no flag of gantry for its own', async () => {
  const { commands } = await reference();
  const flags = [...globalFlags(), ...commands.flatMap((command) => command.flags)];
  const names = [...new Set(flags.flatMap((flag) => flag.flags.match(/(?<![\w-])--?[a-z][\w-]*/gi) ?? []))];
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => ofNode.includes(name))).toEqual([]);
  const folder = newFolder({ 'script.cjs': 'console.log(JSON.stringify([process.execArgv, process.argv.slice(2)]))' });
  const words = names.flatMap((name) => [name, 'no-such-file', `${name}=no-such-file`]);
  const said = execFileSync(process.execPath, ['script.cjs', ...words], { cwd: folder, encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual([[], words]);
  // Such as this one.
  const run = () =>
    execFileSync(process.execPath, [join(folder, 'script.cjs'), '--env-file', 'no-such-file'], { stdio: 'pipe' });
  expect(run).toThrow('no-such-file: not found');
});
