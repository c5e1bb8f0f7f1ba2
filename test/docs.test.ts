import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exitCodes } from '../src/errors.ts';
import { type CommandReference, reference } from '../src/reference.ts';

test('docs/commands.md tells what the program does', async () => {
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

test('every command has an example, and every example is a command', async () => {
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
