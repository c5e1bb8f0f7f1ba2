import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gantry } from '../support/gantry.ts';

const made = readFileSync('dist/help.txt', 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => line.split('\t') as [name: string, source: string]);

test.each(made)('the help of "gantry %s" made at build time equals that of the parser', async (name, source) => {
  const live = await gantry([...name.split(' ').filter(Boolean), '--help', '--json']);
  expect(live.code).toBe(0);
  expect(live.json()).toMatchObject(JSON.parse(source));
});
