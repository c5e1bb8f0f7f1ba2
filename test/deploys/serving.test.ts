import { expect, test } from 'vitest';
import { lateMs, type Serving, type ServingFacts, serving } from '../../src/deploys/serving.ts';
import { drawnCases } from '../support/extent.ts';
import { drawWorld } from './draw-world.ts';

interface World {
  facts: ServingFacts;
  /** The same a minute later, with nothing new. */
  later: ServingFacts;
  serves: string | null;
}

/** What a late app shows of a world. */
function showWorld(seed: number): World {
  const { at, lagMs, servingAt, listed: builds } = drawWorld(seed);
  const serves = servingAt(at);
  const facts = { at, shows: servingAt(at - lagMs), builds };
  return { facts, later: { ...facts, at: at + lateMs + 3_000, shows: serves }, serves };
}

function isWrong(said: Serving, serves: string | null): boolean {
  if (said.is === 'none') return serves !== null;
  if (said.is === 'one') return said.build !== serves;
  return said.is === 'one of' && serves !== null && !said.builds.includes(serves);
}

test('which build serves is never wrong, whichever rule a platform has and however late it shows it', () => {
  const wrong: number[] = [];
  const open: number[] = [];
  const said: Record<string, number> = {};
  for (let seed = 0; seed < drawnCases(20_000); seed += 1) {
    const { facts, later, serves } = showWorld(seed);
    const now = serving(facts);
    said[now.is] = (said[now.is] ?? 0) + 1;
    if (isWrong(now, serves)) wrong.push(seed);
    const inEnd = serving(later);
    if (inEnd.is === 'none' ? serves !== null : inEnd.is !== 'one' || inEnd.build !== serves) open.push(seed);
  }
  expect(wrong).toEqual([]);
  // A minute later, the app is right.
  expect(open).toEqual([]);
});
