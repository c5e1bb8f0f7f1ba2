import fc from 'fast-check';
import { Agent } from 'undici';
import { describe, expect, test } from 'vitest';
import { createPooledSend } from '../../../src/platform/api/dispatch.ts';
import { readLongList, readReply, startsList } from '../../../src/platform/api/reply.ts';
import { sendDirectly } from '../../../src/platform/api/transport.ts';
import { unreadableItems } from '../../../src/platform/contract/lists.ts';
import { listFolder } from '../../../src/platform/contract/volumes.ts';
import { serving } from '../../support/listening.ts';

const read = (chunks: Buffer[]) => [...readLongList(chunks, (items) => items)];

/** Text in chunks of some bytes each, so that characters, texts and escapes are divided as well. */
function cut(text: string, bytes: number): Buffer[] {
  const all = Buffer.from(text);
  return Array.from({ length: Math.ceil(all.length / bytes) }, (_, index) =>
    all.subarray(index * bytes, (index + 1) * bytes),
  );
}

const items = fc.array(
  fc.oneof(fc.jsonValue(), fc.constantFrom('a"b', '\\', '\\"', '],[', '}{', ',', '\u{1f600}', '')),
  { minLength: 1, maxLength: 30 },
);
const space = fc.constantFrom('', ' ', '\n', '\ufeff');

test('gives the items of a list, however it is divided, as often as it is read', () => {
  fc.assert(
    fc.property(
      items,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 0, max: 2 }),
      space,
      (list, bytes, indent, before) => {
        const text = `${before}${JSON.stringify(list, null, indent)}\n`;
        expect(startsList(cut(text, 64))).toBe(true);
        const long = readLongList(cut(text, bytes), (some) => some);
        for (const _ of [1, 2]) expect([...long]).toEqual(JSON.parse(JSON.stringify(list)));
      },
    ),
  );
});

test.each([
  '[{},]',
  '[{}, {}] 3',
  '[1, 2',
  '["a',
  '[{"a": 1',
  '[1, 2]]',
  '[1, 2] 3',
  '[1 2]',
  '[1,, 2]',
  '[1, 2,]',
  '[, 1]',
  '[1}',
])('%s is damaged, however it is divided', (text) => {
  for (let bytes = 1; bytes <= text.length; bytes++) expect(() => read(cut(text, bytes))).toThrow(SyntaxError);
});

test.each(['{"message": "[no]"}', '<html>', '', '  "["'])('%s is no list', (text) => {
  expect(startsList(cut(text, 64))).toBe(false);
});

describe.each([
  ['directly', () => sendDirectly],
  ['over pooled connections', () => createPooledSend(new Agent())],
])('a long reply that is received %s', (_, createSend) => {
  const entries = Array.from({ length: 40_000 }, (_, index) => ({
    name: `caf\u00e9-${index}`,
    size_bytes: `${index}`,
  }));

  const receive = async (body: string, status = 200) => {
    const url = new URL(await serving((_, reply) => reply.writeHead(status).end(body)));
    const request = { method: 'GET', url, headers: {}, signal: new AbortController().signal, silenceMs: 10_000 };
    return createSend()({ ...request, allowsChunks: true });
  };

  test('is read as a short one', async () => {
    const body = JSON.stringify([...entries, { size_bytes: 1 }, 'no entry']);
    const received = await receive(body);
    expect(received.chunks?.length).toBeGreaterThan(1);
    const long = readReply(listFolder, { ...received, host: 'api.test' }) as Iterable<unknown> & object;
    const short = readReply(listFolder, { status: 200, headers: {}, body, host: 'api.test' }) as unknown[];
    expect([...long].length).toBe(short.length);
    expect(JSON.stringify([...long]) === JSON.stringify(short)).toBe(true);
    expect(unreadableItems(long)).toEqual(unreadableItems(short));
    expect(unreadableItems(long)).toHaveLength(2);
  });

  test('has to be complete, and a list', async () => {
    const read = async (body: string) => readReply(listFolder, { ...(await receive(body)), host: 'api.test' });
    const body = JSON.stringify(entries);
    await expect(read(body.slice(0, -20))).rejects.toMatchObject({ facts: { retryable: true, status: 200 } });
    await expect(read(JSON.stringify({ message: body }))).rejects.toThrow('is not a list');
    await expect(read(`<html>${body}`)).rejects.toThrow('web page');
  });

  test('is text if it is an error', async () => {
    const { chunks, body } = await receive(JSON.stringify(entries), 500);
    expect([chunks, JSON.parse(body).length]).toEqual([undefined, entries.length]);
  });
});
