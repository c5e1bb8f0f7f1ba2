import { expect, test } from 'vitest';
import { emulatorForAll, gantry } from '../../support/index.ts';
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

test('a request without a line break is answered, and what is none is an error of its own', async () => {
  const answers = await answersTo('', '{"half', line({ id: 99, result: 5 }), line({ id: 'end', ...ping }));
  expect(answers.map((answer) => JSON.parse(answer))).toEqual([
    { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } },
    { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'Invalid Request' } },
    { jsonrpc: '2.0', id: 'end', result: {} },
  ]);
});

const calling = async (words: string[], line: string) => {
  const session = await connectMcp(words, { emulator });
  const { isError, content, structuredContent } = await session.client.callTool({
    name: 'call',
    arguments: { argv: line.split(' ') },
  });
  await session.end();
  const [{ text }] = content as unknown as [{ text: string }];
  return { isError, text, structuredContent };
};

test('the error of a command that prints no JSON is a document, too', async () => {
  const { isError, text, structuredContent } = await calling([], 'cat /nope.txt');
  expect(isError).toBe(true);
  expect(JSON.parse(text).error).toMatchObject({ code: 'not-found', message: expect.stringContaining('/nope.txt') });
  expect(structuredContent).toEqual(JSON.parse(text));
});

test.each([
  'cp - :/x.txt',
  'invoke transcriber --input -',
  'invoke transcriber --data -',
  'secrets set NAME --from-file -',
])('%s is refused: there is no stdin', async (line) => {
  const sent = emulator.calls.length;
  const { isError, text } = await calling(['--allow-destroy'], line);
  expect(isError).toBe(true);
  expect(text).toContain('write the content to a file');
  expect(emulator.calls.slice(sent).filter(({ method }) => method !== 'GET')).toEqual([]);
});

test.each([
  [[], 'api PATCH /v2/projects/{project}/secrets', 'not allowed here'],
  [['--allow-changes'], 'api DELETE /v2/projects/{project}/apps/p-1-web --yes', 'not allowed here'],
  [['--allow-destroy'], 'api DELETE /v2/projects/{project}/apps/p-1-web', 'confirmation required'],
])('with %j, %s is refused', async (words, line, said) => {
  const sent = emulator.calls.length;
  const { isError, text } = await calling(words, line);
  expect([isError, text]).toEqual([true, expect.stringContaining(said)]);
  expect(emulator.calls.slice(sent).filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('api shows the names of secrets and not their values, whatever the path and the filter', async () => {
  await gantry(['secrets', 'set', 'SHORT', '--from-env', '--yes'], { emulator, env: { SHORT: 'pa55' } });
  const path = '/v2/projects/{project}/secrets';
  // It only reads.
  const asked = (words: string) => calling([], `api GET ${words}`);
  const others = [`${path} --jq .text`, `${path} --jq .body.SHORT`, path.replace('secrets', '%73ecrets/')];
  for (const words of others) expect((await asked(words)).text).not.toContain('pa55');
  expect(JSON.parse((await asked(path)).text)).toMatchObject({ statusCode: 200, body: { SHORT: '[hidden]' } });
});
