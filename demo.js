// The main job, for real: run inside `gantry emulator exec`, which points these commands at a fresh emulator.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import WebSocket from 'ws';

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
  ['Code that runs once', ['run', '-C', 'fixtures/apps/hello', 'main.py']],
  ['Files go to a volume', ['cp', 'fixtures/apps/hello', 'default:/hello']],
  ['And are there', ['ls', 'default:/hello', '-R']],
  ['An app that reads the volume', ['deploy', '-C', 'fixtures/apps/storage', '-q']],
  ['Finds them in /persistent-storage', ['invoke', 'storage', 'md5', 'file=hello/notes/ideas.txt']],
  ['A server with a WebSocket', ['deploy', '-C', 'fixtures/apps/voice', '-q']],
  ['A second deploy would change nothing', ['deploy', '-C', 'fixtures/apps/hello', '--dry-run']],
  ['A config file with mistakes is refused before anything is sent', ['check', '-C', 'fixtures/apps/broken'], 10],
  ['A build that fails says why', ['deploy', '-C', 'fixtures/apps/fails'], 11],
  ['An app that cannot start says where', ['deploy', '-C', 'fixtures/apps/crashes'], 12],
  ['The version before goes on serving', ['invoke', 'hello', 'name=Ada', '-q']],
];

for (const [title, words, expected = 0] of steps) {
  run(title, words, expected);
  if (words[2] === 'fixtures/apps/voice') await talk();
}
process.stdout.write(
  '\nAll of that ran on this machine; the three errors were on purpose. To begin with an app of your own: gantry init\n',
);

/**
 * @param {string} title
 * @param {string[]} words
 * @param {number} expected
 */
function run(title, words, expected) {
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

/** Sends two samples of audio through the WebSocket of the app `voice`, and prints what comes back. */
async function talk() {
  const { GANTRY_API_URL: url = '', GANTRY_PROJECT: project, GANTRY_TOKEN: token } = process.env;
  const address = `${url.replace('http', 'ws')}/v4/${project}/voice/ws`;
  process.stdout.write(`\n# And a call to it\n$ wscat -c ${address}\n`);
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
  socket.on('open', () => {
    for (const message of ['{"type": "start", "rate": 2}', Buffer.from([4, 0, 8, 0]), '{"type": "stop"}']) {
      process.stdout.write(`> ${typeof message === 'string' ? message : message.toString('hex')}\n`);
      socket.send(message);
    }
  });
  socket.on('message', (data, isBinary) => {
    process.stdout.write(`< ${/** @type {Buffer} */ (data).toString(isBinary ? 'hex' : 'utf8')}\n`);
  });
  const [code] = await once(socket, 'close');
  process.stdout.write(`(closed with ${code})\n`);
  if (code !== 1000) process.exit(1);
}
