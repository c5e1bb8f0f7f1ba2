import { describe, expect, test } from 'vitest';
import { endpoints } from '../src/contract/index.ts';
import { coverage } from './support/coverage.ts';

const covered = coverage();

test('every endpoint of the contract is found in its sources', () => {
  expect(covered.map(({ name }) => name).sort()).toEqual(Object.keys(endpoints).sort());
});

describe.each(covered)('$name', ({ source, commands, tests }) => {
  test('says where it is from', () => expect(source).toMatch(/^(spec \d|platform\.md: \w)/));
  test('has a command', () => expect(commands).not.toEqual([]));
  test('has a test', () => expect(tests).not.toEqual([]));
});

test('docs/api-coverage.md tells which command and which test each endpoint has', async () => {
  const rows = [...covered]
    .sort((a, b) => order(a.source) - order(b.source))
    .map(
      ({ source, route, commands, tests }) =>
        `| ${source} | \`${route}\` | ${commands.slice(0, 4).map(code).join(', ')} | ${tests.slice(0, 3).map(link).join(', ')} |\n`,
    );
  const text = `# What of the platform has a command

Made from the sources by \`npm run docs\`; a test fails when it is stale. \`spec\` is the specification of the management
API, [platform.md](platform.md) has what other sources show of it. Of many commands and tests the nearest are named.

| from | endpoint | commands | tests |
|---|---|---|---|
${rows.join('')}`;
  await expect(text).toMatchFileSnapshot('../docs/api-coverage.md');
});

/** The specification's own order; what is beyond it comes after. */
function order(source: string): number {
  const [, chapter, section] = /^spec (\d+)\.(\d+)/.exec(source) ?? [];
  return chapter ? Number(chapter) * 100 + Number(section) : 10_000;
}

function code(command: string): string {
  return `\`${command}\``;
}

function link(file: string): string {
  return `[${file.replace(/^test\//, '')}](../${file})`;
}
