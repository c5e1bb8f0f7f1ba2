import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { referencePages } from '../site/reference.js';
import { reference } from '../src/cli/reference.ts';
import { settingFidelity } from '../src/emulator/model/apps/setting-fidelity.ts';
import { shownTables } from './deploys/shown-tables.ts';

test('the site has a page for each command, with all that it takes, prints and exits with', async () => {
  const program = await reference();
  const pages = new Map(referencePages(program, {}).map(({ name, text }) => [name, text]));
  for (const { command, usage, flags, json, exitCodes } of program.commands) {
    const page = pages.get(command.replaceAll(' ', '-'));
    for (const part of [usage, ...flags.map((flag) => flag.flags), ...Object.keys(json)]) expect(page).toContain(part);
    for (const { code, name } of exitCodes) expect(page).toContain(`| ${code} | \`${name}\` |`);
  }
  // Loads every command.
});

test('the index of docs/ and of the site leads to every page', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const pages = readdirSync('docs').filter((file) => file.endsWith('.md') && file !== 'README.md');
  expect(pages.filter((file) => !index.includes(`](${file})`))).toEqual([]);
});

test('files and folders of the project that texts name are there', () => {
  const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((path) => join('docs', path));
  const texts = ['CONTRIBUTING.md', 'AGENTS.md', ...pages.filter((path) => path.endsWith('.md'))];
  const named = texts.flatMap((text) =>
    [...readFileSync(text, 'utf8').matchAll(/`((?:src|test|packaging|bench|fixtures)\/[\w./-]*\w)`/g)].map(
      ([, path = '']) => [text, path] as const,
    ),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(([, path]) => !existsSync(path))).toEqual([]);
});

test('docs/emulated.md says of each setting what the emulator makes of it', async () => {
  const rows = Object.entries(settingFidelity).map(([key, { is, note = '' }]) => `| \`${key}\` | ${is} | ${note} |`);
  const table = ['| setting | is | |', '|---|---|---|', ...rows].join('\n');
  const text = readFileSync('docs/emulated.md', 'utf8');
  const renewed = text.replace(/(?<=<!-- settings -->\n\n)[\s\S]*?(?=\n\n<!-- end of settings -->)/, () => table);
  expect(renewed).toContain(table);
  await expect(renewed).toMatchFileSnapshot('../docs/emulated.md');
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

test('docs/deploying.md says of each exit code of a deploy what serves then', async () => {
  const deploy = (await reference()).commands.find(({ command }) => command === 'deploy');
  const table = /What a pipeline can tell from the exit code:\n\n([\s\S]*?)\n\n/.exec(
    readFileSync('docs/deploying.md', 'utf8'),
  );
  const told = [...(table?.[1] ?? '').matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, codes = '']) =>
    codes.split(',').map(Number),
  );
  expect([...new Set(told)].sort((a, b) => a - b)).toEqual(
    deploy?.exitCodes.map(({ code }) => code).sort((a, b) => a - b),
  );
});

test('docs/deploying.md shows the tables that decide', () => {
  const text = readFileSync('docs/deploying.md', 'utf8');
  for (const table of shownTables) expect(text).toContain(table);
});

describe('pages for readers', () => {
  const pages = readdirSync('docs').filter((file) => file.endsWith('.md') && file !== 'platform.md');
  const texts = pages.map((file) => ({ file, text: readFileSync(join('docs', file), 'utf8') }));
  const words = (text: string) => text.match(/\S+/g)?.length ?? 0;

  test('have at most 2,000 words each, and 26,000 together; the README has 80 lines', () => {
    expect(texts.filter(({ text }) => words(text) > 2_000).map(({ file }) => file)).toEqual([]);
    expect(words(texts.map(({ text }) => text).join(' '))).toBeLessThanOrEqual(26_000);
    expect(readFileSync('README.md', 'utf8').split('\n').length - 1).toBeLessThanOrEqual(80);
  });

  test.each(texts)('have sentences of at most 25 words: $file', ({ text }) => {
    const prose = text
      .replace(/<!--[\s\S]*?-->|^```[\s\S]*?^```$/gm, '')
      .replace(/`[^`]*`/g, 'x')
      .replace(/\]\([^)]*\)/g, ']');
    const sentences = prose.split(/\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.) ?)|\||[.!?:;](?:\*\*)?\s/);
    expect(sentences.filter((one) => (one.match(/\S*\w\S*/g)?.length ?? 0) > 25)).toEqual([]);
  });
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

test('docs/architecture.md names only files and folders that exist', () => {
  const inside = ['src', 'build', 'bin', 'test', 'bench', 'fixtures', 'docs'].flatMap((folder) => [
    folder,
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  ]);
  const paths = ['site', ...inside];
  const text = readFileSync('docs/architecture.md', 'utf8');
  const named = [
    ...matches(text, /(?<![\w./-])[\w/-]+\.(?:ts|cjs)\b/),
    ...matches(text, /(?<![\w./{}-])[a-z][\w-]*(?:\/[\w-]+)*(?=\/[\s`,:)])/),
  ];
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((name) => !paths.some((path) => `/${path}`.endsWith(`/${name}`)))).toEqual([]);
});

test('documents type only commands that exist, also where a block is not run', async () => {
  const { commands } = await reference();
  const blocks = documents().flatMap((file) => matches(readFileSync(file, 'utf8'), /(?<=\n```(?:sh|console)\n)[^`]*/));
  const named = blocks.flatMap((block) => matches(`\n${block}`, /(?<=\n(?:\$ )?gantry )[a-z-]+(?: [a-z-]+)?/));
  expect(named.length).toBeGreaterThan(100);
  const isKnown = (line: string) =>
    commands.some(({ command }) => `${line} `.startsWith(`${command} `) || command === line.split(' ')[0]);
  expect(named.filter((line) => !isKnown(line))).toEqual([]);
});

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
