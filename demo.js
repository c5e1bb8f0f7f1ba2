// The main job, for real: run inside `gantry emulator exec`, which points these commands at a fresh emulator.
import { spawnSync } from 'node:child_process';

/** @type {[title: string, words: string[], exitCode?: number][]} */
const steps = [
  ['A folder becomes a running app', ['deploy', '-C', 'fixtures/apps/hello']],
  ['Its own code answers', ['invoke', 'hello', 'name=Ada', 'language=fr']],
  [
    'Another one, for programs to read',
    ['deploy', '-C', 'fixtures/apps/functions', '-q', '--json=app,status,endpoint'],
  ],
  ['A function that answers item by item', ['invoke', 'functions', 'count', 'to:=3', '--stream']],
  [
    'One that works on, and whose answer comes by a signed webhook',
    ['invoke', 'functions', '--await-webhook', 'name=Grace'],
  ],
  ['What it printed', ['logs', 'functions', '--tail', '4']],
  ['Code that runs once', ['run', 'main.py', '-C', 'fixtures/apps/hello']],
  ['Files go to a volume', ['cp', 'fixtures/apps/hello', 'default:/hello']],
  ['And are there', ['ls', 'default:/hello', '-R']],
  ['A second deploy would change nothing', ['deploy', '-C', 'fixtures/apps/hello', '--dry-run']],
  ['A build that fails says why', ['deploy', '-C', 'fixtures/apps/fails'], 11],
  ['An app that cannot start says where', ['deploy', '-C', 'fixtures/apps/crashes'], 12],
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
