import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitCodes } from '../src/errors.ts';
import { type CommandReference, reference } from '../src/reference.ts';

test('docs/commands.md matches the program', async () => {
  const { commands } = await reference();
  const text = `# Commands

Made from the program itself by \`npm run docs\`; a test fails when it is stale.

${commands.map(section).join('\n')}
# Exit codes

| code | name | when |
|---|---|---|
${Object.entries(exitCodes)
  .map(([name, { code, when }]) => `| ${code} | ${name} | ${when} |\n`)
  .join('')}`;
  await expect(text).toMatchFileSnapshot('../docs/commands.md');
});

test('every command has an example, and every example is a valid command line', async () => {
  const { commands } = await reference();
  const lines = commands.map(({ command }) => command);
  for (const { command, examples } of commands) {
    expect(examples, command).not.toEqual([]);
    for (const example of examples)
      expect(
        lines.some((line) => `${example} `.startsWith(`${line} `)),
        example,
      ).toBe(true);
  }
});

test('docs/promises.md names only tests that exist', () => {
  const rows = readFileSync('docs/promises.md', 'utf8').matchAll(/^\| .* \| (.*) \|$/gm);
  const named = [...rows].flatMap(([, tests = '']) => [...tests.matchAll(/`([^` ]+)`/g)].map(([, name]) => name));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !existsSync(`test/${name}.test.ts`))).toEqual([]);
});

describe('references', () => {
  const files = sourcesAndDocuments();
  const platform = readFileSync('docs/platform.md', 'utf8');

  test('name no text outside of the repository', () => {
    const outside = /\bH-\d|\bwire(?: facts)?,? ?(?:§|\d)|\bwire-facts\b|\bconventions,? ?(?:§|\d)|§ ?\d/;
    const named = files.flatMap(({ file, text }) => matches(text, outside).map((reference) => `${file}: ${reference}`));
    expect(named).toEqual([]);
  });

  test('of the form "spec 4.10" name a section that docs/platform.md lists', () => {
    const section = /## Specification\n([\s\S]*?)\n## /.exec(platform)?.[1] ?? '';
    const known = new Set(matches(section, /(?<![\d.`])\d+(?:\.\d+)?(?=:?\s+[A-Za-z])/));
    const named = files.flatMap(({ file, text }) =>
      matches(text, /\bspec \d+(?:\.\d+)?(?:(?:,| and| to) \d+\.\d+)*/)
        .flatMap((reference) => reference.match(/\d+(?:\.\d+)?/g) ?? [])
        .map((number) => ({ file, number })),
    );
    expect(named.length).toBeGreaterThan(80);
    expect(named.filter(({ number }) => !known.has(number))).toEqual([]);
  });

  test('to a heading of docs/platform.md name one that exists', () => {
    const headings = matches(platform, /(?<=\n## ).+/).map((heading) => heading.toLowerCase().replaceAll(' ', '-'));
    const named = files.flatMap(({ file, text }) =>
      matches(text, /(?<=platform\.md#)[\w-]+/).map((heading) => ({ file, heading })),
    );
    expect(named.length).toBeGreaterThan(80);
    expect(named.filter(({ heading }) => !headings.includes(heading))).toEqual([]);
  });
});

test('links between documents lead to files that exist', () => {
  const links = documents().flatMap((file) =>
    matches(readFileSync(file, 'utf8'), /(?<=\]\()(?!https?:|#)[^)#\s]+/).map((target) => join(dirname(file), target)),
  );
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter((target) => !existsSync(target))).toEqual([]);
});

test('the README names only commands that exist', async () => {
  const { commands } = await reference();
  const named = [...readFileSync('README.md', 'utf8').matchAll(/^\$? ?gantry ([a-z-]+(?: [a-z-]+)?)/gm)];
  expect(named.length).toBeGreaterThan(5);
  for (const [, line = ''] of named) {
    const known = commands.some(
      ({ command }) => `${line} `.startsWith(`${command} `) || command === line.split(' ')[0],
    );
    expect(known, line).toBe(true);
  }
});

function section({ command, summary, usage, arguments: inputs, flags, json, examples }: CommandReference): string {
  const rows = (entries: [string, string][]) =>
    entries.map(([name, what]) => `| \`${name}\` | ${cell(what)} |`).join('\n');
  const table = (title: string, entries: [string, string][]) =>
    entries.length ? `\n| ${title} | |\n|---|---|\n${rows(entries)}\n` : '';
  return `## gantry ${command}

${summary.charAt(0).toUpperCase()}${summary.slice(1)}.

    ${usage}
${table(
  'argument',
  inputs.map(({ name, description, choices }) => [name, offering(description, choices)]),
)}${table(
  'flag',
  flags.map((flag) => [flag.flags, offering(flag.description, flag.choices)]),
)}${table('JSON field', Object.entries(json))}
${examples.map((example) => `    gantry ${example}`).join('\n')}
`;
}

function offering(description: string, choices: string[] | undefined): string {
  return choices ? `${description}: ${choices.join(', ')}` : description;
}

function cell(text: string): string {
  return text.replace(/\|/g, '\\|');
}

function documents(): string[] {
  return sourcesAndDocuments()
    .map(({ file }) => file)
    .filter((file) => file.endsWith('.md'));
}

/** All of the repository but generated and installed files, and this file, which spells out what it forbids. */
function sourcesAndDocuments(): { file: string; text: string }[] {
  const inside = ['src', 'test', 'bench', 'docs', 'fixtures', 'bin'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  return [...readdirSync('.'), ...inside]
    .filter((file) => /\.(ts|js|mjs|cjs|py|md|toml|json)$/.test(file))
    .filter((file) => !['package-lock.json', join('test', 'docs.test.ts')].includes(file))
    .filter((file) => !file.includes('node_modules'))
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }));
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(new RegExp(pattern, 'g'))].map(([found]) => found);
}
