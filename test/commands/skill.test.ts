import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import parseWords from 'string-argv';
import { expect, test } from 'vitest';
import { reference } from '../../src/cli/reference.ts';
import { gantry, newFolder, smallApp } from '../support/index.ts';

test('prints a skill of at most 900 tokens', async () => {
  const { stdout } = await gantry(['help', 'agents']);
  expect(stdout).toMatch(/^---\nname: gantry\ndescription: .+\n---\n/);
  expect(stdout.length / 3.5).toBeLessThan(900);
  expect((await gantry(['help', 'agents', '--json'])).json()).toEqual([{ text: stdout.trimEnd() }]);
});

test('fits a terminal', async () => {
  const { stdout } = await gantry(['help', 'agents'], { columns: 80 });
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test('AGENTS.md of an app is short, and init writes it only if asked', async () => {
  const folder = newFolder();
  const paths = async (...words: string[]) =>
    (await gantry(['init', ...words, '--json=paths'], { cwd: folder })).json();
  expect(await paths('a', '--agents')).toEqual({ paths: ['a/cerebrium.toml', 'a/main.py', 'a/AGENTS.md'] });
  expect(await paths('b')).toEqual({ paths: ['b/cerebrium.toml', 'b/main.py'] });
  expect((await readFile(join(folder, 'a/AGENTS.md'), 'utf8')).length / 3.5).toBeLessThan(500);
});

test('adds AGENTS.md to an app that exists, and changes nothing else', async () => {
  const app = newFolder(smallApp());
  const { code, json } = await gantry(['init', '--agents', '--json=paths'], { cwd: app });
  expect([code, json()]).toEqual([0, { paths: ['AGENTS.md'] }]);
  expect(await readFile(join(app, 'cerebrium.toml'), 'utf8')).toBe(smallApp()['cerebrium.toml']);
  const other = newFolder({ ...smallApp(), 'AGENTS.md': 'mine\n' });
  expect((await gantry(['init', '--agents'], { cwd: other })).code).toBe(0);
  expect(await readFile(join(other, 'AGENTS.md'), 'utf8')).toBe('mine\n');
});

test.each(['src/cli/commands/agent-skill.md', 'src/app/agents.md'])(
  '%s names only commands and flags that exist',
  async (file) => {
    const { commands, flags: shared } = await reference();
    const lines = [...(await readFile(file, 'utf8')).matchAll(/`(?:NAME=… )?gantry ([^`]+)`/g)].map(
      ([, line = '']) => line,
    );
    expect(lines.length).toBeGreaterThan(8);
    // Alone, it never ends.
    expect(lines.filter((line) => /^logs .*-f/.test(line) && !/--(run|build)/.test(line))).toEqual([]);
    for (const line of lines) {
      const words = parseWords(line);
      const command = commands.find(({ command }) => `${line} `.startsWith(`${command} `));
      if (words[0] === 'emulator') continue;
      expect(command, line).toBeDefined();
      const known = [...shared, ...(command?.flags ?? [])].flatMap(({ flags }) => flags.match(/--?[\w-]+/g) ?? []);
      for (const flag of words.filter((word) => /^--?[a-z]/.test(word))) {
        expect(known, line).toContain(flag.replace(/=.*/, ''));
      }
    }
  },
  // Loads every command.
);
