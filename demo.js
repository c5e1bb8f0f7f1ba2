// The main job, for real: run inside `gantry emulator exec`, which points these commands at a fresh emulator.
import { spawnSync } from 'node:child_process';

/** @type {[title: string, words: string[], exitCode?: number][]} */
const steps = [
  ['A folder becomes a running app', ['deploy', '-C', 'fixtures/apps/hello']],
  ['It is there', ['apps', 'list']],
  ['Made of these files', ['builds', 'files', 'hello']],
  ['A second deploy would change nothing', ['deploy', '-C', 'fixtures/apps/hello', '--dry-run']],
  [
    'A server of your own deploys the same way; programs read JSON',
    ['deploy', '-C', 'fixtures/apps/server', '--json=endpoint,build,status', '-q'],
  ],
  ['A build that fails says why', ['deploy', '-C', 'fixtures/apps/fails'], 11],
  ['A config file with mistakes is refused before anything is sent', ['check', '-C', 'fixtures/apps/broken'], 10],
];

for (const [title, words, expected = 0] of steps) {
  process.stdout.write(`\n# ${title}\n$ gantry ${words.join(' ')}\n`);
  const { status } = spawnSync(process.execPath, ['bin/gantry.cjs', ...words], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (expected !== 0) process.stdout.write(`(exit code ${status})\n`);
  if (status !== expected) {
    process.stderr.write(`the demo expected exit code ${expected}\n`);
    process.exit(1);
  }
}
