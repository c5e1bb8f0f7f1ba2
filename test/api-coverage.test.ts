import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endpoints } from '../src/platform/contract/index.ts';

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((path) => join('src', path))
  .filter((path) => path.endsWith('.ts') && !path.startsWith('src/emulator/'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
const isContract = ({ path }: { path: string }) => path.startsWith('src/platform/contract/');
const contract = sources
  .filter(isContract)
  .map(({ text }) => text)
  .join('\n');
const client = sources.filter((source) => !isContract(source)).map(({ text }) => text);

test.each(Object.keys(endpoints))('%s names its source, and something calls it', (name) => {
  const [, comment = '', definition] =
    new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\nexport const ${name} = endpoint\\(((?:(?!\n\n)[^])*)`).exec(contract) ??
    [];
  expect(comment).toMatch(/spec \d+\.\d+|docs\/platform\.md#[\w-]+/);
  if (comment.includes('#assumptions')) expect(definition).toContain('assumed(');
  expect(client.some((text) => new RegExp(`\\b${name}\\b`).test(text))).toBe(true);
});
