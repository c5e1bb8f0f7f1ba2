import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gantry } from '../support/gantry.ts';

const made = readdirSync('dist/help').map((file) => file.replace(/\.json$/, ''));

test.each(made)('the help of "gantry %s" made at build time equals that of the parser', async (name) => {
  const live = await gantry([...name.split(' ').filter(Boolean), '--help', '--json']);
  expect(live.code).toBe(0);
  expect(live.json()).toEqual(JSON.parse(readFileSync(`dist/help/${name}.json`, 'utf8')));
});

test('the built program prints the same help as the parser', async () => {
  for (const words of [[], ['apps'], ['cp']]) {
    const built = execFileSync(process.execPath, ['bin/gantry.cjs', ...words, '--help'], { encoding: 'utf8' });
    expect(built).toBe((await gantry([...words, '--help'])).stdout);
  }
});
