import type { Draw } from '../chaos/draw.js';
import type { FuzzCase } from './cases.ts';

/** The bytes of a request, as no HTTP client would send all of them. */
export interface RawRequest {
  bytes: Buffer;
  /** The client closes the connection after the last byte, without waiting for a reply. */
  drops: boolean;
}

const methods = ['PROPFIND', 'TRACE', 'BREW', 'get', 'M-SEARCH', 'PURGE', 'QUERY', 'CONNECT'];
const versions = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'http/1.1', ''];
const types = [
  ...[
    'text/plain; charset=utf-16',
    'application/json; charset=latin1',
    'multipart/form-data',
    'multipart/form-data; boundary=',
  ],
  ...[
    'application/x-www-form-urlencoded; charset=%',
    'application/octet-stream',
    '\t',
    ',',
    'application/json, text/html',
  ],
];
const oddHeaders = [
  ...['Expect: 100-continue', 'Expect: 200-ok', 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked, chunked'],
  ...['Content-Encoding: gzip', 'Content-Length: -1', 'Content-Length: 1e3', 'Content-Length: 99999999999999999999'],
  ...[
    'Upgrade: h2c\r\nConnection: Upgrade',
    'Upgrade: websocket\r\nConnection: Upgrade',
    'Range: bytes=0-0,-1',
    'If-Range: x',
  ],
  ...[
    'X-Webhook-Secret: \u00e9',
    'Cookie: a',
    'Authorization: Basic',
    'Authorization: Bearer',
    'Authorization: Bearer a b',
  ],
  ...[
    'X: 1\r\nX: 2',
    `X: ${'x'.repeat(20_000)}`,
    'No colon',
    ': no name',
    'Host: other',
    ' folded: 1',
    'Connection: close, x-request-id',
  ],
  ...[
    'Accept: \u0001',
    'Origin: null',
    'Origin: http://[',
    'Sec-Fetch-Site: cross-site',
    'Connection: keep-alive',
    'TE: trailers',
  ],
];

/** A request that is valid but for one or two things on its way: the line, a header, the length of the body, its end. */
export function drawRaw(random: Draw, { method, path, headers, body }: FuzzCase, host: string): RawRequest {
  const content = Buffer.from(typeof body === 'string' ? body : '');
  const verb = random.chance(0.8) ? method : random.pick(methods);
  const version = random.chance(0.85) ? 'HTTP/1.1' : random.pick(versions);
  const isOwnType = random.chance(0.7);
  const fields = Object.entries(headers)
    .filter(([name]) => isOwnType || name !== 'content-type')
    .map(([name, value]) => `${name}: ${value}`);
  if (!isOwnType) fields.push(`Content-Type: ${random.pick(types)}`);
  if (random.chance(0.5)) fields.push(random.pick(oddHeaders));
  const { framing, sent } = frame(random, content);
  const head = [`${verb} ${target(random, path, host)} ${version}`, `Host: ${host}`, ...fields, ...framing];
  const end = random.chance(0.97) ? '\r\n' : '\n';
  const whole = Buffer.concat([Buffer.from(`${head.join(end)}${end}${end}`, 'latin1'), sent]);
  const isCut = random.chance(0.15);
  const bytes = isCut ? whole.subarray(0, Math.floor(random.next() * whole.length)) : whole;
  return { bytes, drops: isCut || random.chance(0.1) };
}

function target(random: Draw, path: string, host: string): string {
  if (random.chance(0.85)) return path;
  return random.pick([
    `http://${host}${path}`,
    `//${host}${path}`,
    `${path}#x`,
    `/.${path}`,
    path.slice(1),
    '*',
    '?',
    `${path}\u00ff`,
  ]);
}

/** The headers that tell how long the body is, and what is sent of it. */
function frame(random: Draw, content: Buffer): { framing: string[]; sent: Buffer } {
  const { length } = content;
  const kind = random.next();
  if (kind < 0.5) return { framing: [`Content-Length: ${length}`], sent: content };
  if (kind < 0.6) return { framing: [`Content-Length: ${length + 7}`], sent: content };
  if (kind < 0.7) return { framing: [`Content-Length: ${length >> 1}`], sent: content };
  if (kind < 0.75) return { framing: [`Content-Length: ${length}`, `Content-Length: ${length + 1}`], sent: content };
  if (kind < 0.8) return { framing: [], sent: content };
  const size = random.pick([length.toString(16), 'zz', '-1', `${length.toString(16)};x=y`, 'ffffffffffffffff']);
  const chunks = Buffer.concat([Buffer.from(`${size}\r\n`), content, Buffer.from('\r\n0\r\n\r\n')]);
  return { framing: ['Transfer-Encoding: chunked'], sent: chunks };
}
