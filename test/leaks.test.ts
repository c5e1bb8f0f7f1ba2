import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { matchRoute } from '../src/emulator/server/routes.ts';
import { exitCodes } from '../src/kernel/errors.ts';
import { lines, local } from './support/command-lines.ts';
import { commandLines } from './support/commands.ts';
import { exampleReply } from './support/example-reply.ts';
import { half } from './support/extent.ts';
import { gantry, newFolder, smallApp } from './support/index.ts';

/** An opaque token: only who knows it can tell that it is one. Another one that gantry has never seen is a JWT. */
const token = 'opaque/T0ken+0123456789abcdef';
const foreign = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJsZWFrIn0.bGVha2VkLXNpZ25hdHVyZQ';
const link =
  'https://storage.test/bucket/key?X-Amz-Algorithm=AWS4&X-Amz-Credential=AKIALEAKED%2F1&X-Amz-Signature=1eaked51';
const proxySecret = 'registry-pa55word';

/** What a server of doubtful manners puts into every text. */
const poison = [
  `header Authorization: Bearer ${token}`,
  `token ${token} ${encodeURIComponent(token)} ${Buffer.from(token).toString('base64')}`,
  `other ${foreign}`,
  `link ${link} ${encodeURIComponent(link)} ${JSON.stringify({ link }).replaceAll('&', '\\u0026')}`,
  `login https://user:${proxySecret}@registry.test/v2`,
].join(' ');

const leaks = [
  token,
  encodeURIComponent(token),
  Buffer.from(token).toString('base64').replace(/=+$/, ''),
  'bGVha2VkLXNpZ25hdHVyZQ',
  '1eaked51',
  'AKIALEAKED',
  proxySecret,
];

/** Commands whose answer is shown as it is: an app's, the platform's word for word, or links that were asked for. */
const verbatim = ['invoke', 'run', 'api', 'plan invoices'];

test('no command line of support/command-lines.ts is of a command that is gone', () => {
  expect(commandLines()).toEqual(expect.arrayContaining([...Object.keys(lines), ...local]));
});

/** With --debug, a line prints all that its text has, and the calls. */
const modes = { json: ['--json'], debug: ['--debug'] };

describe.each([401, 403, 500])('a message with secrets, sent with HTTP %i', (status) => {
  const server = platform((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': foreign });
    response.end(JSON.stringify({ message: poison, error: 'refused' }));
  });

  // A refusal differs from a failure in what follows the message.
  const shown = status === 500 ? Object.values(modes) : [modes.debug];

  test.each(half(Object.keys(lines)))('gantry %s does not repeat them', async (words) => {
    for (const mode of shown) expect(await leaked(words, mode, server.address())).toEqual([]);
  });
});

describe('names with secrets', () => {
  const server = platform(({ method = '', url = '' }, response) => {
    const reply = replyTo(method, url);
    response.writeHead(reply === undefined ? 404 : 200, { 'content-type': 'application/json' });
    // Storage is here, too: no name is looked up in a network.
    const text = JSON.stringify(reply === undefined ? { message: poison } : poisoned(reply));
    response.end(text.replaceAll('https://storage.example', server.address()));
  });

  test.each(half(Object.keys(lines).filter((words) => !verbatim.includes(words))))(
    'gantry %s does not print them',
    async (words) => {
      for (const mode of Object.values(modes)) expect(await leaked(words, mode, server.address())).toEqual([]);
    },
  );

  test('are kept in output that is printed unchanged', async () => {
    expect(await leaked('api', [], server.address())).toEqual(leaks);
  });
});

const weights = {
  source: 'hf://a/b',
  target: 'default:/x/',
  seen: { project: 'p-1', region: 'us-east-1' },
  files: [{ path: 'a', bytes: 1, sha256: 'a'.repeat(64) }],
};

/** The secrets that one command line lets out, on either stream. */
async function leaked(words: string, mode: string[], address: string): Promise<string[]> {
  const app = newFolder({
    ...smallApp(),
    '.env': 'A=value-of-a-secret\n',
    'inputs.jsonl': '{}\n',
    'weights.lock': JSON.stringify({ version: 1, weights: [weights] }),
  });
  const variables = { GANTRY_API_URL: address, GANTRY_INFERENCE_URL: address, GANTRY_LOGS_URL: address };
  const { code, stdout, stderr } = await gantry([...words.split(' '), ...(lines[words] ?? []), ...mode], {
    cwd: app,
    env: {
      ...variables,
      GANTRY_CONFIG_DIR: join(app, '.settings'),
      GANTRY_TOKEN: token,
      GANTRY_PROJECT: 'p-12345678',
      A: 'value-of-a-secret',
    },
    io: { silenceMs: 2_000 },
  });
  expect([words, stdout + stderr]).toEqual([words, expect.stringMatching(/./)]);
  // A line that is not valid asks nothing. To prune needs a repository.
  if (words !== 'apps prune') expect([words, code]).not.toEqual([words, exitCodes.usage.code]);
  return leaks.filter((leak) => (stdout + stderr).includes(leak));
}

/** A server that is there for all tests of a block. */
function platform(answer: Parameters<typeof createServer>[1] & object): { address: () => string } {
  let server: Server;
  beforeAll(async () => {
    server = createServer(answer as never).listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
  });
  afterAll(() => void server.close().closeAllConnections());
  return { address: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** The example of a reply of the endpoint that the route belongs to. */
function replyTo(method: string, url: string): unknown {
  const found = matchRoute(method, url.split('?')[0] ?? '');
  return found && exampleReply(found.name);
}

/** Ids and states decide what a command does next; whatever else is text gets a secret. */
function poisoned(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((inner) => poisoned(inner, key));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, poisoned(inner, name)]));
  }
  const isMeant = /name|message|description|log|text|reason|owner|source|email|label|title|why|error|hardware/i.test(
    key,
  );
  return typeof value === 'string' && isMeant ? `${value} ${poison}` : value;
}
