import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gantry } from '../support/gantry.ts';

const made: [name: string, text: string][] = JSON.parse(readFileSync('dist/help.json', 'utf8'));

test.each(made)('the help of "gantry %s" made at build time is what the parser says', async (name, text) => {
  const live = await gantry([...name.split(' ').filter(Boolean), '--help']);
  expect(live.code).toBe(0);
  expect(live.stdout).toBe(text);
});
