import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readLock, updateLock } from '../../../src/storage/weights/lock-file.ts';
import { newFolder } from '../../support/files.ts';

test('pulls that end at the same moment record each', async () => {
  const cwd = newFolder();
  const targets = ['a', 'b', 'c', 'd', 'e', 'f'].map((each) => `default:/${each}/`);
  const seen = { project: 'p-12345678', region: 'us-east-1' };
  await Promise.all(
    targets.map((target) => updateLock({ cwd }, { source: 'hf://org/model', target, seen, files: [] })),
  );
  expect(readLock({ cwd }).map(({ target }) => target)).toEqual(targets);
  expect(readdirSync(cwd)).toEqual(['weights.lock']);
});
