import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { ciSystems } from '../../src/local/ci/index.ts';
import { type Block, blocksOf, documents } from '../docs/blocks.ts';
import { areApart, follow } from '../docs/follow.ts';
import { pipelineBlocks } from '../docs/pipelines.ts';
import { isWhole, oneIn } from '../support/extent.ts';

/** `GANTRY_TEST_DOCS=show`: all documents, and what their commands print. */
const showsAll = process.env.GANTRY_TEST_DOCS === 'show';
const isFollowed = (name: string) => isWhole || showsAll || name === 'README.md';
/** Once more takes as long again: a third of the documents, by the seed. */
const again = new Set(isWhole ? ['README.md', ...oneIn(3, documents)] : []);
const isFollowedAgain = (name: string) => showsAll || again.has(name);

const runs = ({ notRun }: Block) => notRun === undefined;

/** Pipelines run the same commands: one of them for a second pull request, too. */
const walksOf = (name: string) => (name === ciSystems[0] || isFollowedAgain(name) ? [1, 2] : [1]);

/** What a reader has in the end, besides that each command worked. */
const proofs: Record<string, string> = {
  // The app printed something, and what the walk wrote is not sent with it.
  'README.md': `gantry logs my-app | grep -q Ada
gantry deploy --dry-run --jq '.send.files' > files.json
test "$(cat files.json)" = 2
rm files.json`,
};

const followed = documents.map((document) => ({ name: document, blocks: blocksOf(document) }));
const pipelines = ciSystems.map((system) => ({ name: system, blocks: pipelineBlocks(system) }));
const walks = [...followed, ...pipelines].filter(({ name, blocks }) => isFollowed(name) && blocks.some(runs));

describe('what a document or a pipeline says to type works, in order, and again', { concurrent: areApart }, () => {
  test.each(walks)('$name', { timeout: 300_000 }, async ({ name, blocks }) => {
    // What the reader has by then counts also before a block that cannot run.
    const steps = blocks.filter((block) => runs(block) || block.given !== undefined);
    const { surprises, transcript } = await follow(steps, proofs[name], walksOf(name));
    if (showsAll) process.stdout.write(transcript);
    expect(surprises.join('\n\n')).toBe('');
  });

  afterAll(() => {
    const ran = walks.flatMap(({ blocks }) => blocks.filter(runs)).length;
    const all = [...followed, ...pipelines].flatMap(({ blocks }) => blocks);
    const marked = all.filter((block) => !runs(block)).map(({ place, notRun }) => `\n  ${place}: ${notRun}`);
    const rest = all.length - ran - marked.length;
    const left = rest > 0 ? `, ${rest} run with GANTRY_TEST=all` : '';
    process.stdout.write(
      `${ran} of ${all.length} blocks ran${left}, ${marked.length} are not run:${marked.join('')}\n`,
    );
  });
});

test('every block of the documents is fenced and has a language', () => {
  for (const { name, blocks } of followed) {
    const text = readFileSync(name, 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
    expect(text.match(/(?<=\n\n) {4}\S.*/g) ?? [], name).toEqual([]);
    for (const { place, language } of blocks) expect(language, place).not.toBe('');
  }
});
