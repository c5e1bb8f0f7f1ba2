import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
// The sources require() it, which fails while an import() of it is under way, by what loads a spinner.
import 'string-width';
import { failOnWarnings } from './process-warnings.ts';

failOnWarnings();

// Each test file has a temporary folder of its own: what is left in it was left by the program under test.
const before = tmpdir();
const folder = mkdtempSync(join(realpathSync(before), 'tests-'));
process.env.TMPDIR = folder;

afterAll(() => {
  process.env.TMPDIR = before;
  // A program that was told to end may still write to it.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});
