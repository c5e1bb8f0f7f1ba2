import { describe, expect, test } from 'vitest';
import { endpoints } from '../src/platform/contract/index.ts';
import { coverage } from './support/coverage.ts';

const covered = coverage();

test('every endpoint of the contract is found in its sources', () => {
  expect(covered.map(({ name }) => name).sort()).toEqual(Object.keys(endpoints).sort());
});

describe.each(covered)('$name', ({ source, commands, tests }) => {
  test('names its source', () => expect(source).not.toBe(''));
  test('has a command', () => expect(commands).not.toEqual([]));
  test('has a test', () => expect(tests).not.toEqual([]));
});

test('docs/internals/api-coverage.md tells which command and which test each endpoint has', async () => {
  const rows = [...covered]
    .sort((a, b) => order(a.source) - order(b.source))
    .map(
      ({ source, route, commands, tests }) =>
        `| ${origin(source)} | \`${route}\` | ${commands.slice(0, 4).map(code).join(', ')} | ${tests.slice(0, 3).map(link).join(', ')} |\n`,
    );
  const text = `# What of the platform has a command

Made from the sources by \`npm run docs\`; a test fails when it is stale. A number is a section of the
[specification](../platform.md#specification) of the management API; a word is a section of [platform.md](../platform.md),
for endpoints that the specification leaves out. Names up to four commands and three tests for each endpoint.

| from | endpoint | commands | tests |
|---|---|---|---|
${rows.join('')}`;
  await expect(text).toMatchFileSnapshot('../docs/internals/api-coverage.md');
});

/** The specification's own order; what is beyond it comes after. */
function order(source: string): number {
  const [, chapter, section] = /^spec (\d+)\.(\d+)/.exec(source) ?? [];
  return chapter ? Number(chapter) * 100 + Number(section) : 10_000;
}

/** `spec 4.1` as it is; a section of docs/platform.md as a link. */
function origin(source: string): string {
  const [, section] = /^docs\/platform\.md#(.+)$/.exec(source) ?? [];
  return section ? `[${section}](../platform.md#${section})` : source;
}

function code(command: string): string {
  return `\`${command}\``;
}

function link(file: string): string {
  return `[${file.replace(/^test\//, '')}](../../${file})`;
}
