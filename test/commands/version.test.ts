import { expect, test } from 'vitest';
import { version } from '../../src/kernel/version.ts';
import { gantry } from '../support/index.ts';

test('--version as JSON tells where gantry is, and what runs it', async () => {
  const { json } = await gantry(['--version', '--json']);
  expect(json()).toEqual({
    version,
    path: expect.any(String),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  });
  expect((await gantry(['version', '--json'])).json()).toEqual(json());
  expect((await gantry(['version'])).stdout).toBe(`${version}\n`);
});
