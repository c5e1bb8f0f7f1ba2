import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as contract from '../../../src/platform/contract/index.ts';

const root = new URL('../../../src/', import.meta.url).pathname;
/** What they show of a build does not change, or decides nothing. */
const unchanging = ['getBuildZipContents'];

test('what a deploy, a verdict or a rollback rests on is no copy that a cache kept', () => {
  const files = ['deploys', 'calls/runs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(root, folder, name)),
  );
  const code = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const read = Object.entries(contract.endpoints).filter(
    ([name, { route }]) => route.startsWith('GET ') && new RegExp(`\\b${name}\\b`).test(code),
  );
  expect(read.length).toBeGreaterThan(6);
  expect(read.flatMap(([name, { current }]) => (current ? [] : name)).sort()).toEqual(unchanging);
});
