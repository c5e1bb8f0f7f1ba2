import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { appServer, sayJson } from '../support/app-server.ts';
import { gantry, jsonLines } from '../support/gantry.ts';

const begin = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'r-1' });
const stream = (text: string) => appServer((response) => begin(response).end(text));

const three = ': hello\n\ndata: one\n\n: still here\n\nevent: step\nid: 7\ndata: {"n":\ndata: 2}\n\ndata: three\n\n';

describe('a stream of events', () => {
  test('is printed item by item', async () => {
    const { env, seen } = await stream(three);
    const { code, stdout, stderr } = await gantry(['invoke', 'web', '--stream'], { env });
    expect([code, stdout]).toEqual([0, 'one\n{"n":\n2}\nthree\n']);
    expect(stderr).toMatch(/^project .*\n200 OK in .*, run r-1, 3 events\n$/);
    expect(seen[0]?.headers.accept).toBe('text/event-stream');
  });

  test('is one JSON object per line with --json', async () => {
    const { env, seen } = await stream(three);
    const { stdout } = await gantry(['invoke', 'web', '--stream', '--json'], { env });
    expect(jsonLines(stdout)).toEqual([
      { type: 'event', event: null, data: 'one', id: null },
      { type: 'event', event: 'step', data: '{"n":\n2}', id: '7' },
      { type: 'event', event: null, data: 'three', id: null },
      expect.objectContaining({ type: 'result', statusCode: 200, events: 3 }),
    ]);
    expect(seen[0]?.headers.accept).toBe('text/event-stream');
  });

  test('is one JSON document without --stream', async () => {
    const { env, seen } = await stream(three);
    const { stdout, stderr } = await gantry(['invoke', 'web', '--json=statusCode,body,encoding'], { env });
    expect(JSON.parse(stdout)).toEqual({
      statusCode: 200,
      body: [
        { event: null, data: 'one', id: null },
        { event: 'step', data: '{"n":\n2}', id: '7' },
        { event: null, data: 'three', id: null },
      ],
      encoding: 'events',
    });
    expect(stderr).toMatch(/200 OK in .*, run r-1\n$/);
    expect(seen[0]?.headers.accept).toBe('*/*');
  });

  test('ends with its result under --events', async () => {
    const { env } = await stream(three);
    const lines = jsonLines((await gantry(['invoke', 'web', '--events'], { env })).stdout);
    expect(lines.map(({ type }) => type)).toEqual(['event', 'event', 'event', 'result']);
    expect(lines.at(-1)).toMatchObject({ statusCode: 200, run: 'r-1', events: 3 });
  });

  test('is unchanged with --raw', async () => {
    const { env } = await stream(three);
    expect((await gantry(['invoke', 'web', '--raw'], { env })).stdout).toBe(three);
  });

  test.each([
    ['cut anywhere, in a character too', 'data: äöü\r\n\r\ndata: 🦊\r\n\r\n', 'äöü\n🦊\n'],
    ['with line ends of its own', 'data: a\rdata: b\r\rdata: c\n\n', 'a\nb\nc\n'],
    ['without an empty line at its end', 'data: a\n\ndata: b', 'a\nb\n'],
    ['with unknown fields', 'color: red\ndata: a\n\njust text\n\ndata: b\n\n', 'a\nb\n'],
    ['with a retry that is not a number', 'retry: soon\ndata: a\n\n', 'a\n'],
    ['of comments only', ': a\n\n: b\n\n', ''],
    ['without events', '', ''],
  ])('%s', async (_, text, expected) => {
    const { env } = await appServer(async (response) => {
      begin(response);
      for (const byte of Buffer.from(text)) response.write(Buffer.from([byte]));
      response.end();
    });
    expect(await gantry(['invoke', 'web'], { env })).toPrint(expected);
  });

  test('is printed while it is produced', async () => {
    let release = () => {};
    const { env } = await appServer((response) => {
      begin(response).write('data: first\n\n');
      release = () => void response.end('data: second\n\n');
    });
    let shown = '';
    const { stdout } = await gantry(['invoke', 'web'], {
      env,
      seen: (text) => {
        if (shown === '') release();
        shown = text;
      },
    });
    expect(shown).toBe('first\nsecond\n');
    expect(stdout).toBe(shown);
  });

  test.each([
    ['text', [], 'one\n'],
    ['JSON', ['--json'], '{\n  "error": {'],
    ['JSON lines', ['--stream', '--json'], '{"type":"event","event":null,"data":"one","id":null}\n{"type":"error",'],
    ['events', ['--events'], '{"type":"event","event":null,"data":"one","id":null}\n{"type":"error",'],
  ])('that breaks in the middle is an error, and what arrived stays printed: %s', async (_, flags, expected) => {
    const { env } = await appServer((response) => {
      begin(response).write('data: one\n\ndata: tw', () => response.destroy());
    });
    const { code, stdout, stderr } = await gantry(['invoke', 'web', ...flags], { env });
    expect(code).toBe(69);
    expect(stdout.startsWith(expected)).toBe(true);
    // Each line is a document of its own.
    if (flags.length > 0 && !expected.includes('  '))
      for (const line of stdout.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
    expect(stderr).toContain('the response of web/run was cut off');
  });

  test.each<[string, object, string[], unknown[]]>([
    ['succeeded', { status: 'success' }, [], ['run r-1 succeeded, but its response is incomplete', false]],
    ['is not known', {}, [], ['the response is incomplete', false]],
    ['changes nothing', {}, ['--method', 'GET', '--path', '/'], ['the response is incomplete', true]],
  ])('that breaks is not to be called again by itself, unless its run %s', async (_, item, flags, expected) => {
    const { env } = await appServer((response, { path }) => {
      if (path.includes('/runs/')) return sayJson(response, { item: { id: 'r-1', ...item } });
      begin(response).write('data: one\n\n', () => response.destroy());
    });
    const { json } = await gantry(['invoke', 'web', '--json', ...flags], { env });
    const { error } = json() as { error: { why: string; retryable: boolean } };
    expect([error.why, error.retryable]).toEqual(expected);
  });

  test('may be silent longer than a download', async () => {
    const { env } = await appServer((response) => {
      begin(response).write('data: one\n\n');
      setTimeout(() => response.end('data: two\n\n'), 1_000);
    });
    // A stream may be silent for 15 times as long: for 7.5 s here, which is enough on a busy machine.
    expect((await gantry(['invoke', 'web'], { env, io: { silenceMs: 500 } })).stdout).toBe('one\ntwo\n');
  });

  test('but not forever', async () => {
    const { env } = await appServer((response) => begin(response).write('data: one\n\n'));
    const { code, stdout } = await gantry(['invoke', 'web'], { env, io: { silenceMs: 50 } });
    expect([code, stdout]).toEqual([69, 'one\n']);
  });

  test('cannot control the terminal or a workflow runner', async () => {
    const { env } = await stream('data: a\u001b[2J\n\ndata: ::error::b\n\n');
    const setting = { env: { ...env, GITHUB_ACTIONS: 'true' }, columns: 80 };
    expect((await gantry(['invoke', 'web'], setting)).stdout).toBe('a\n: :error::b\n');
  });

  test('that is refused is reported like any other error', async () => {
    const { env } = await appServer((response) => sayJson(response, { message: 'no' }, 500));
    expect((await gantry(['invoke', 'web', '--stream'], { env })).code).toBe(13);
  });

  test('that is none although it was requested is printed unchanged', async () => {
    const { env } = await appServer((response) => sayJson(response, { result: 1 }));
    expect((await gantry(['invoke', 'web', '--stream'], { env })).stdout).toBe('{"result":1}');
  });
});
