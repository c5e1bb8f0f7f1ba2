import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';

/** Set by record.js: where each test file leaves what it called. */
const folder = process.env.GANTRY_RECORD ?? '';

const shared = /** @type {{ calledFunctions?: Set<string> }} */ (globalThis);
let startedAt = 0;

beforeAll(() => {
  shared.calledFunctions = new Set();
  startedAt = performance.now();
});

afterAll(() => {
  const test = relative(process.cwd(), expect.getState().testPath ?? '');
  const functions = [...(shared.calledFunctions ?? [])];
  mkdirSync(folder, { recursive: true });
  const record = { test, ms: Math.round(performance.now() - startedAt), functions };
  writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(record));
});
