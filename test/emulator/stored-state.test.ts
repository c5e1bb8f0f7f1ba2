import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Store } from '../../src/emulator/model/state/store.ts';
import { newFolder } from './support/platform.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function newStore() {
  const file = join(newFolder(), 'state.json');
  const store = new Store(file);
  store.projects.push('p-1');
  store.save();
  const savedRuns = () => Object.keys(JSON.parse(readFileSync(file, 'utf8')).runs).length;
  const call = () => store.addRun({ app: 'p-1-web', createdAt: 1 }).id;
  return { file, store, savedRuns, call };
}

test('calls of apps are written together, a few times a second', async () => {
  const { savedRuns, call } = newStore();
  for (let calls = 0; calls < 100; calls++) call();
  expect(savedRuns()).toBeLessThan(100);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(savedRuns()).toBe(100);
  call();
  expect(savedRuns()).toBe(100);
});

test('another change writes them at once, and so does the end of the emulator', () => {
  const { store, savedRuns, call } = newStore();
  call();
  store.save();
  expect(savedRuns()).toBe(1);
});

test('an id is not given again after the emulator was killed', () => {
  const { file, call } = newStore();
  const ids = Array.from({ length: 1_500 }, call);
  const next = new Store(file);
  expect(ids).not.toContain(next.newId());
});
