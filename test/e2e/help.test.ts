import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gantry } from '../support/gantry.ts';

const made = readdirSync('dist/help').map((file) => file.replace(/\.txt$/, ''));

test.each(made)('the help of "gantry %s" made at build time is what the parser says', async (name) => {
  const live = await gantry([...name.split(' ').filter(Boolean), '--help']);
  expect(live.code).toBe(0);
  expect(live.stdout).toBe(readFileSync(`dist/help/${name}.txt`, 'utf8'));
});
