// An app and its log as a bench needs them, in a process of its own. Below the app's address are `small`, an answer of
// the default runtime, and `large`, zeros. Lines of the log are said when they are asked for, to the sockets that are
// open and to the history.
// Started by live.js, with the length of a large answer; it tells its addresses, and when a socket has been opened.
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { WebSocketServer } from 'ws';
import { converse, giveZeros, json, reply } from './conversation.js';

/** @typedef {{ calls: string, logs: string }} Addresses */
/** @typedef {{ logLine: string, timestamp: string }} Line */

const largeBytes = Number(process.argv[2]);

const calls = createTcpServer({ noDelay: true }, take);
const history = createServer((request, reply) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://app');
  const after = Date.parse(searchParams.get('afterDate') ?? '') || 0;
  const logs = linesOf(pathname.split('/').at(-2) ?? '').filter(({ timestamp }) => Date.parse(timestamp) >= after);
  if (searchParams.get('direction') === 'backward') logs.reverse();
  reply
    .setHeader('content-type', 'application/json')
    .end(JSON.stringify({ logs, nextPageToken: null, hasMore: false }));
});
const sockets = new WebSocketServer({ server: history });
sockets.on('connection', (socket, { url = '' }) => {
  const app = new URL(url, 'http://app').searchParams.get('appID') ?? '';
  openOf(app).add(socket);
  socket.on('close', () => openOf(app).delete(socket));
  process.send?.('opened');
});
process.on('message', (/** @type {string} */ app) => say(app));
process.on('disconnect', () => process.exit());
calls.listen(0, '127.0.0.1', () => {
  history.listen(0, '127.0.0.1', () => process.send?.({ calls: addressOf(calls), logs: addressOf(history) }));
});

/** @param {import('node:net').Server} server */
function addressOf(server) {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `http://127.0.0.1:${port}`;
}

/** @type {Map<string, Line[]>} */
const lines = new Map();
/** @type {Map<string, Set<import('ws').WebSocket>>} */
const open = new Map();

/** @param {string} app */
function linesOf(app) {
  return lines.get(app) ?? [];
}

/** @param {string} app */
function openOf(app) {
  const found = open.get(app) ?? new Set();
  open.set(app, found);
  return found;
}

/** A new line says when it was new, by the clock that all processes of a machine have in common. @param {string} app */
function say(app) {
  const timestamp = new Date().toISOString();
  const logLine = `said at ${process.hrtime.bigint()}`;
  lines.set(app, [...linesOf(app), { logLine, timestamp }]);
  for (const socket of openOf(app)) socket.send(JSON.stringify({ app_id: app, timestamp, log: logLine }));
}

const small = json({ run_id: 'r-bench', run_time_ms: 12, result: { colour: 'red', animal: 'fox' } });

/** @param {import('node:net').Socket} socket */
function take(socket) {
  converse(socket, ({ url }) => {
    if (!url.pathname.endsWith('/large')) socket.write(small);
    else {
      socket.write(reply('200 OK', { 'content-type': 'application/octet-stream' }, largeBytes));
      giveZeros(socket, largeBytes);
    }
  });
}
