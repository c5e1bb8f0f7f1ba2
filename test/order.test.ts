import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { gantry } from './support/gantry.ts';

/** The subcommands that the product was ordered with: what each is for, and the commands of a group. */
const ordered: [word: string, summary: string, commands?: string[]][] = [
  ['deploy', 'Deploy the app in this folder.'],
  ['run', 'Run a Python file once on the platform.'],
  ['cp', 'Copy files to, from and between volumes.'],
  ['rm', 'Remove files and folders from a volume.'],
  ['apps', 'List, inspect, scale, measure and delete apps.', ['list', 'get', 'scale', 'delete']],
  ['builds', 'List, inspect, compare and cancel builds.', ['list', 'get', 'cancel']],
  ['users', 'List and invite users; only the dashboard removes them.', ['list', 'invite']],
  [
    ...(['service-accounts', 'Change the access of service accounts; only the dashboard creates them.'] as const),
    ['list', 'grant', 'revoke', 'set-grants'],
  ],
  ['plan', 'Manage plan and billing.', ['set', 'payment-methods', 'invoices']],
];

test.each(ordered)('gantry %s stays at the top, with its help', async (word, summary, commands) => {
  const { code, stdout } = await gantry([word, '--help']);
  expect([code, stdout.split('\n')[0]]).toEqual([0, summary]);
  expect(stdout).toContain(`USAGE\n  gantry ${word} ${commands ? '<command>' : ''}`);
  expect((await gantry(['--help', '--json'])).stdout).toContain(`"${word}"`);
  for (const name of commands ?? []) expect(stdout).toMatch(new RegExp(`^ {2}${name} {2,}\\w`, 'm'));
});

/** The libraries that it was ordered with, each in its own role: the file that plays it, and the words that show it. */
const roles: [library: keyof typeof manifest.devDependencies, role: string, file: string, use: RegExp][] = [
  ['commander', 'parses the command line', 'src/cli/program/command-tree.ts', /new Commander\('gantry'\)/],
  ['@inquirer/prompts', 'asks questions', 'src/kernel/output/questions.ts', /confirm, input, password, select/],
  ['smol-toml', 'reads cerebrium.toml', 'src/app/toml/syntax.ts', /\bparse\(/],
  ['archiver', 'makes the tar of run', 'src/app/tar.ts', /new TarArchive\(/],
  ['undici', 'sends files and streams', 'src/platform/api/undici.ts', /loadUndici/],
  ['cli-table3', 'draws tables of text on a terminal', 'src/kernel/output/table.ts', /new CliTable\(/],
  ['ora', 'shows progress on a terminal', 'src/kernel/output/progress.ts', /\bload\(\{/],
  ['conf', 'stores settings', 'src/platform/config/stored-files.ts', /new Conf\b/],
  ['execa', 'runs the command of emulator exec', 'src/cli/commands/emulator/exec.ts', /\bexeca\(command/],
  ['execa', 'runs the built program in tests', 'test/e2e/binary.ts', /\bexeca\(/],
  ['vitest', 'runs the tests', 'vitest.config.ts', /\bdefineConfig\(/],
];

test.each(roles)('%s %s', (library, _, file, use) => {
  expect(manifest.devDependencies).toHaveProperty([library]);
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(new RegExp(`(from|import\\(|require\\()\\s*'${library}(/[\\w-]+)?'`));
  expect(text).toMatch(use);
});
