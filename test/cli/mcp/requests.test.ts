import { expect, test } from 'vitest';
import { emulatorForAll } from '../../support/emulators.ts';
import { gantry } from '../../support/gantry.ts';
import { connectMcp } from '../../support/mcp.ts';

const emulator = emulatorForAll({ seed: 1 });

const initialize = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'odd', version: '1' } },
};
const ping = { method: 'ping' };
const line = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message });

/** What gantry writes after a client has written these lines and closed stdin, without the answer to `initialize`. */
async function answersTo(...lines: string[]): Promise<string[]> {
  const stdin = [line(initialize), line({ method: 'notifications/initialized' }), ...lines].join('\n');
  const { code, stdout } = await gantry(['mcp'], { emulator, stdin });
  expect(code).toBe(0);
  const isWelcome = (answer: string) => answer.includes('"protocolVersion"');
  return stdout
    .trimEnd()
    .split('\n')
    .filter((answer) => !isWelcome(answer));
}

test.each([
  ['null as id', line({ id: null, ...ping }), null, -32600],
  ['a fraction as id', line({ id: 1.5, ...ping }), 1.5, -32600],
  ['an object as id', line({ id: { a: 1 }, ...ping }), null, -32600],
  ['a list as params', line({ id: 'list', method: 'tools/call', params: [] }), 'list', -32602],
  ['null as params', line({ id: 'null', method: 'tools/list', params: null }), 'null', -32602],
  ['a text as _meta', line({ id: 'meta', method: 'tools/list', params: { _meta: 'x' } }), 'meta', -32602],
  ['no name of a tool', line({ id: 'unnamed', method: 'tools/call', params: {} }), 'unnamed', -32602],
  ['an unknown method', line({ id: 'method', method: 'tools/invent' }), 'method', -32601],
  ['another version', '{"jsonrpc":"1.0","id":3,"method":"ping"}', 3, -32600],
  ['no version', '{"id":4,"method":"ping"}', 4, -32600],
  ['no method', line({ id: 5 }), 5, -32600],
  ['a number as method', line({ id: 6, method: 7 }), 6, -32600],
  ['half a message', '{"jsonrpc":"2.0","id":8', null, -32700],
  ['a text', '"ping"', null, -32600],
  ['an empty batch', '[]', null, -32600],
])('a request with %s is answered by an error', async (_, request, id, code) => {
  const answers = await answersTo(request, line({ id: 'next', ...ping }));
  expect(answers.map((answer) => JSON.parse(answer))).toContainEqual({
    jsonrpc: '2.0',
    id,
    error: expect.objectContaining({ code, message: expect.any(String) }),
  });
  expect(answers.map((answer) => JSON.parse(answer).id)).toContain('next');
});

test('an id that JavaScript would change is refused with its digits', async () => {
  const [answer] = await answersTo('{"jsonrpc":"2.0","id":1234567890123456789,"method":"ping"}');
  expect(answer).toContain('"id":1234567890123456789,"error"');
});

test('each request of a batch is answered by an error, in a batch', async () => {
  const batch = [{ id: 1, ...ping }, { method: 'notifications/initialized' }, { id: 2, ...ping }];
  const [answer = ''] = await answersTo(`[${batch.map(line).join()}]`);
  expect(JSON.parse(answer)).toMatchObject([
    { id: 1, error: { code: -32600 } },
    { id: 2, error: { code: -32600 } },
  ]);
});

test('what wants no answer gets none', async () => {
  const answers = await answersTo(
    '',
    line({ method: 'notifications/cancelled', params: [] }),
    line({ id: 99, result: 5 }),
    line({ id: 'end', ...ping }),
  );
  expect(answers.map((answer) => JSON.parse(answer))).toEqual([{ jsonrpc: '2.0', id: 'end', result: {} }]);
});

const calling = async (words: string[], name: string, input: object) => {
  const session = await connectMcp(words, { emulator });
  const { isError, content, structuredContent } = await session.client.callTool({
    name,
    arguments: input as Record<string, unknown>,
  });
  await session.end();
  const [{ text }] = content as unknown as [{ text: string }];
  return { isError, text, structuredContent };
};

test('the error of a command that prints no JSON is a document, too', async () => {
  const { isError, text, structuredContent } = await calling([], 'files', { command: 'cat', path: ['/nope.txt'] });
  expect(isError).toBe(true);
  expect(JSON.parse(text).error).toMatchObject({ code: 'not-found', message: expect.stringContaining('/nope.txt') });
  expect(structuredContent).toEqual(JSON.parse(text));
});

test.each([
  ['files_destroy', { command: 'cp', path: ['-', ':/x.txt'] }],
  ['invoke', { app: 'transcriber', input: '-' }],
  ['invoke', { app: 'transcriber', data: '-' }],
  ['secrets_destroy', { command: 'secrets set', name: ['NAME'], 'from-file': '-' }],
])('%s refuses "-": there is no stdin', async (tool, input) => {
  const sent = emulator.calls.length;
  const { isError, text } = await calling(['--allow-destroy'], tool, input);
  expect(isError).toBe(true);
  expect(text).toContain('write the content to a file');
  expect(emulator.calls.slice(sent).filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('api shows the names of secrets and not their values, whatever the path and the filter', async () => {
  await gantry(['secrets', 'set', 'SHORT', '--from-env', '--yes'], { emulator, env: { SHORT: 'pa55' } });
  const path = '/v2/projects/{project}/secrets';
  const asked = (input: object) => calling(['--allow-destroy'], 'api', { method: 'GET', path, ...input });
  const others = [{ jq: '.text' }, { jq: '.body.SHORT' }, { path: path.replace('secrets', '%73ecrets/') }];
  for (const input of others) expect((await asked(input)).text).not.toContain('pa55');
  expect(JSON.parse((await asked({})).text)).toMatchObject({ statusCode: 200, body: { SHORT: '[hidden]' } });
});
