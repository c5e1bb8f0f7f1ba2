import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/kernel/errors.ts';
import { createPage } from '../../../src/kernel/output/page.ts';
import { createRenderer, type JsonChoice, StdoutClosedError } from '../../../src/kernel/output/render.ts';

describe('the result as JSON', () => {
  test.each<[string, unknown, JsonChoice, unknown]>([
    ['a thing', { id: 1 }, true, { id: 1 }],
    ['a list', [{ id: 1 }, { id: 2 }], true, [{ id: 1 }, { id: 2 }]],
    ['an empty list', [], true, []],
    ['nothing', undefined, true, null],
    ['some fields', { id: 1, name: 'x', more: 2 }, ['name', 'id'], { name: 'x', id: 1 }],
    [
      'some fields of a list; one has it, one has not',
      [{ id: 1 }, { id: 2, name: 'x' }],
      ['name'],
      [{ name: null }, { name: 'x' }],
    ],
    ['some fields of an empty list', [], ['anything'], []],
  ])('%s', async (_, value, json, expected) => {
    expect(JSON.parse(await rendered(value, json))).toEqual(expected);
  });

  test('a long list is one document, indented as a short one', async () => {
    const list = Array.from({ length: 1_001 }, (_, id) => ({ id, text: 'two\nlines' }));
    expect(await rendered(list, true)).toBe(`${JSON.stringify(list, null, 2)}\n`);
  });

  test('an unknown field causes an error with the valid ones', async () => {
    await expect(rendered([{ id: 1 }, { name: 2 }], ['nonsense'])).rejects.toThrow(UsageError);
    await expect(rendered({ id: 1 }, ['nonsense'])).rejects.toMatchObject({ facts: { why: 'available fields: id' } });
  });
});

test('a result without text prints nothing, not even a newline', async () => {
  expect(await rendered({}, false)).toBe('');
});

test('waits for a slow reader before writing the next part', async () => {
  let waiting = 0;
  let most = 0;
  const slow = new Writable({
    highWaterMark: 1,
    write(_, __, done) {
      waiting++;
      most = Math.max(most, waiting);
      setImmediate(() => {
        waiting--;
        done();
      });
    },
  });
  const renderer = createRenderer(slow as never, page(slow), true);
  await renderer.value(
    Array.from({ length: 2_000 }, (_, id) => ({ id })),
    () => '',
  );
  expect(most).toBe(1);
  expect(slow.writableLength).toBe(0);
});

test('bytes are written as they are', async () => {
  const written: Buffer[] = [];
  const stream = new Writable({ write: (chunk, _, done) => done(void written.push(chunk) as undefined) });
  const bytes = Buffer.from([0, 27, 91, 50, 74, 255, 13, 10]);
  await createRenderer(stream as never, page(stream), false).bytes(bytes);
  expect(Buffer.concat(written).equals(bytes)).toBe(true);
});

test.each(['EPIPE', 'ERR_STREAM_DESTROYED'])('a closed pipe (%s) is no failure', async (code) => {
  await expect(createRenderer(broken(code) as never, page(broken(code)), true).value([1], () => '')).rejects.toThrow(
    StdoutClosedError,
  );
});

test('a full disk is a failure', async () => {
  const stream = broken('ENOSPC');
  await expect(createRenderer(stream as never, page(stream), true).line({})).rejects.toThrow('ENOSPC');
});

function broken(code: string): Writable {
  const stream = new Writable({ write: (_, __, done) => done(Object.assign(new Error(code), { code })) });
  return stream.on('error', () => {});
}

function page(stream: Writable) {
  return createPage(stream as never, {}, 'never', 0);
}

async function rendered(value: unknown, json: JsonChoice): Promise<string> {
  let text = '';
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  await createRenderer(stream as never, page(stream), json).value(value, () => '');
  return text;
}
