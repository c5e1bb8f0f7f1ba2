import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CommandReference, flagMeaning, reference } from '../src/cli/reference.ts';
import { settingFidelity } from '../src/emulator/model/apps/setting-fidelity.ts';
import { type ExitName, everyCommandExits, exitCodes, platformExits } from '../src/kernel/errors.ts';
import { groupFlags } from '../src/kernel/output/flag-groups.ts';
import { shownTables } from './deploys/shown-tables.ts';

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
  .join('')}
Any command may exit with ${codesOf(everyCommandExits)}; one that uses the platform also with
${codesOf(platformExits)}.
`;
  await expect(text).toMatchFileSnapshot('../docs/commands.md');
  // Loads every command.
}, 60_000);

test('docs/llms.txt lists the documents and the commands', async () => {
  const { commands, groups } = await reference();
  const title = (file: string) => /^# (.+)$/m.exec(readFileSync(join('docs', file), 'utf8'))?.[1] ?? file;
  const documents = readdirSync('docs').filter((file) => file.endsWith('.md'));
  const names = [...new Set(commands.map(({ command }) => command.split(' ')[0] ?? ''))];
  const summary = (name: string) => groups[name] ?? commands.find(({ command }) => command === name)?.summary;
  const text = `# gantry

> Deploys, runs and manages apps on the hosting platform from the command line. \`gantry help agents\` prints how an agent uses
> it, \`gantry mcp\` serves its commands over the Model Context Protocol, and \`gantry reference --json\` describes them.

## Documents

${documents.map((file) => `- [${title(file)}](${file})`).join('\n')}

## Commands

${names.map((name) => `- [gantry ${name}](commands.md): ${summary(name)}`).join('\n')}
`;
  await expect(text).toMatchFileSnapshot('../docs/llms.txt');
});

test('docs/emulator.md says of each setting what the emulator makes of it', async () => {
  const rows = Object.entries(settingFidelity).map(([key, { is, note = '' }]) => `| \`${key}\` | ${is} | ${note} |`);
  const table = ['| setting | is | |', '|---|---|---|', ...rows].join('\n');
  const text = readFileSync('docs/emulator.md', 'utf8');
  const renewed = text.replace(/(?<=<!-- settings -->\n\n)[\s\S]*?(?=\n\n<!-- end of settings -->)/, () => table);
  expect(renewed).toContain(table);
  await expect(renewed).toMatchFileSnapshot('../docs/emulator.md');
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

test('docs/deploying.md shows the tables that decide, in at most 2,000 words', () => {
  const text = readFileSync('docs/deploying.md', 'utf8');
  for (const table of shownTables) expect(text).toContain(table);
  expect(text.match(/[^\s|]+/g)?.length).toBeLessThanOrEqual(2_000);
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
  const paths = ['src', 'build', 'bin', 'test', 'bench', 'fixtures', 'docs'].flatMap((folder) => [
    folder,
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  ]);
  const text = readFileSync('docs/architecture.md', 'utf8');
  const named = [
    ...matches(text, /(?<![\w./-])[\w/-]+\.(?:ts|cjs)\b/),
    ...matches(text, /(?<![\w./{}-])[a-z][\w-]*(?:\/[\w-]+)*(?=\/[\s`,:)])/),
  ];
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((name) => !paths.some((path) => `/${path}`.endsWith(`/${name}`)))).toEqual([]);
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

function section(reference: CommandReference): string {
  const { command, summary, usage, arguments: inputs, flags, json, examples } = reference;
  const inputRows = inputs.map(({ name, description, choices }) => [`\`${name}\``, offering(description, choices)]);
  const flagTables = groupFlags(flags).map(({ title, members }) =>
    table(
      [title.replace('flags', 'flag'), ''],
      members.map((flag) => [`\`${flag.flags}\``, flagMeaning(flag)]),
    ),
  );
  const fieldRows = Object.entries(json).map(([name, field]) => [`\`${name}\``, field.type, field.description]);
  return `## gantry ${command}

${summary.charAt(0).toUpperCase()}${summary.slice(1)}.

    ${usage}
${table(['argument', ''], inputRows)}${flagTables.join('')}${table(['JSON field', 'type', ''], fieldRows)}
${examples.map((example) => `    gantry ${example}`).join('\n')}

${behavior(reference)}
`;
}

function table(titles: string[], rows: string[][]): string {
  if (rows.length === 0) return '';
  const line = (cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return `\n${[line(titles), `|${'---|'.repeat(titles.length)}`, ...rows.map(line)].join('\n')}\n`;
}

/** What it does to what exists, the form of its output and its own exit codes. */
function behavior({ effect, output, exitCodes }: CommandReference): string {
  const effects = {
    reads: 'It only reads.',
    changes: 'It changes what exists.',
    destroys: 'It can destroy what exists.',
  };
  const forms = { document: 'one document', list: 'one list', stream: 'one document per line' };
  const shared: readonly string[] = [...everyCommandExits, ...platformExits];
  const names = exitCodes.map(({ name }) => name);
  const own = exitCodes.filter(({ name }) => !shared.includes(name)).map(({ code, name }) => `${code} (${name})`);
  return [
    effects[effect],
    output ? `With \`--json\` it prints ${forms[output]}.` : 'It prints raw bytes.',
    platformExits.some((name) => names.includes(name)) ? '' : 'It does not use the platform.',
    own.length ? `It may also exit with ${own.join(', ')}.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

function codesOf(names: readonly ExitName[]): string {
  return names.map((name) => exitCodes[name].code).join(', ');
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
