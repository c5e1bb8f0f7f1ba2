import { expect, test } from 'vitest';
import type { Reference } from '../../src/cli/reference.ts';
import { exitCodes } from '../../src/kernel/errors.ts';
import { commandLines } from '../support/commands.ts';
import { gantry } from '../support/gantry.ts';

test('the reference has every command, every exit code and the global flags', async () => {
  const { json } = await gantry(['help', '--json']);
  const reference = json() as Reference;
  expect(reference.commands.map(({ command }) => command)).toEqual(commandLines());
  expect(reference.exitCodes.map(({ code }) => code)).toEqual(Object.values(exitCodes).map(({ code }) => code));
  expect(reference.flags.map(({ flags }) => flags)).toEqual(expect.arrayContaining(['--json[=fields]', '-q, --quiet']));
});

test('every command has a help with examples and its fixed JSON fields, within 80 columns, and no flag twice', async () => {
  const { json } = await gantry(['help', '--json']);
  const { commands: found, flags: shared } = json() as Reference;
  // Bytes, what another program prints, and an answer that no document shows.
  const withoutFields = ['cat', 'emulator exec', 'mcp serve', 'volumes list'];
  for (const { command, flags } of found) {
    const { code, stdout, stderr } = await gantry([...command.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`USAGE\n  gantry ${command}`);
    expect(stdout).toContain('\nEXAMPLES\n');
    expect(stdout.includes('\nJSON: '), command).toBe(!withoutFields.includes(command));
    expect(stdout, command).not.toContain('(default: [])');
    const [, fields = ''] = stdout.split('\nJSON: ');
    for (const line of fields.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    const names = [...shared, ...flags].flatMap((flag) => flag.flags.match(/--?[a-z-]+/gi) ?? []);
    expect(names.length, command).toBe(new Set(names).size);
  }
});
