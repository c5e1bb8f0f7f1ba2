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

test('a request without a line break is answered, and what is none does not stop the next one', async () => {
  const answers = await answersTo('', '{"half', line({ id: 99, result: 5 }), line({ id: 'end', ...ping }));
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
