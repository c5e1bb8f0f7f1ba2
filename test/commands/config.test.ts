import { expect, test } from 'vitest';
import { gantry } from '../support/gantry.ts';

test('config schema prints a JSON Schema of cerebrium.toml, with and without --json', async () => {
  const text = await gantry(['config', 'schema']);
  const json = await gantry(['config', 'schema', '--json']);
  expect(text.code).toBe(0);
  expect(text.json()).toMatchObject({ $schema: expect.stringContaining('json-schema.org'), type: 'object' });
  expect(json.json()).toEqual(text.json());
  expect(text.stdout).toContain('disable_auth');
});

test('config alone is a group: exit 2, and the way to its help', async () => {
  const { code, stdout, stderr } = await gantry(['config']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('fix gantry config --help');
});
