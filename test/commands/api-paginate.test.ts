import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { gantry, type Setting } from '../support/gantry.ts';
import { serving } from '../support/listening.ts';

/** A platform that answers the pages of `/v2/x` like this; `count` is 1 for the first request. */
async function pages(
  answer: (asked: { token: string; offset: number; count: number }, response: ServerResponse) => void,
) {
  const asked: { token: string; offset: number; count: number }[] = [];
  const url = await serving((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const offset = Number(searchParams.get('offset') ?? 0);
    const each = { token: searchParams.get('nextToken') ?? '', offset, count: asked.length + 1 };
    asked.push(each);
    response.setHeader('content-type', 'application/json');
    answer(each, response);
  });
  const env = { GANTRY_API_URL: url, GANTRY_TOKEN: 'x' };
  const read = (setting: Setting = {}) => gantry(['api', 'GET', '/v2/x', '--paginate'], { env, ...setting });
  return { asked, read };
}

const page = (response: ServerResponse, body: object) => void response.end(JSON.stringify(body));

test('ends if the platform ignores tokens and always returns its first page', async () => {
  const { asked, read } = await pages(({ count }, response) =>
    page(response, { items: [1, 2], nextToken: `token-${count}` }),
  );
  const { code, stdout } = await read();
  expect([code, JSON.parse(stdout)]).toEqual([0, { items: [1, 2] }]);
  expect(asked.length).toBeLessThan(5);
});

/** A page of three, whose connection is cut in the middle as often as said. */
const cut = (times: number) =>
  pages(({ token }, response) => {
    if (token === 'b' && times-- > 0) {
      response.write('{"items": [3');
      setImmediate(() => response.destroy());
    } else if (token === 'b') page(response, { items: [3], nextToken: 'c' });
    else page(response, token === 'c' ? { items: [4] } : { items: [1, 2], nextToken: 'b' });
  });

test('reads a truncated page again', async () => {
  const { read } = await cut(1);
  const { code, stdout, stderr } = await read();
  expect([code, JSON.parse(stdout)]).toEqual([0, { items: [1, 2, 3, 4] }]);
  expect(stderr).toMatch(/the reply is incomplete|connection reset/);
});

test('fails without output if a page cannot be read', async () => {
  const { read } = await pages(({ token }, response) => {
    if (!token) return page(response, { items: [1, 2], nextToken: 'b' });
    response.statusCode = 403;
    page(response, { message: 'no more for you' });
  });
  expect(await read()).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('no more for you') });
});

test('counts items in the progress on a terminal, and clears the line', async () => {
  let release = () => {};
  const shown = new Promise<void>((done) => {
    release = done;
  });
  const { read } = await pages(async ({ token }, response) => {
    if (token) await shown;
    page(response, token ? { items: [3] } : { items: [1, 2], nextToken: 'b' });
  });
  const seen = (_: string, stderr: string) => stderr.includes('2 items') && release();
  const { stdout, stderr } = await read({ columns: 80, seen, io: { silenceMs: 20_000 } });
  expect(JSON.parse(stdout)).toEqual({ items: [1, 2, 3] });
  expect(stderr).toContain('Reading all pages');
  expect(stderr).not.toMatch(/items\n/);
});

test('ends if the platform repeats its items with other times', async () => {
  const { asked, read } = await pages(({ count }, response) => {
    const items = ['a', 'b'].map((id) => ({ id, seenAt: count }));
    page(response, { items, nextToken: `token-${count}` });
  });
  const { code, json } = await read();
  expect([code, json()]).toEqual([0, { items: ['a', 'b'].map((id) => ({ id, seenAt: 1 })) }]);
  expect(asked.length).toBeLessThan(5);
});

test.each([206, 299])('a page with status %d is no whole page', async (status) => {
  const { read } = await pages(({ token }, response) => {
    if (token) response.statusCode = status;
    page(response, { items: [token], nextToken: token ? '' : 'b' });
  });
  const { code, stdout, stderr } = await read();
  expect([code, stdout, stderr]).toEqual([69, '', expect.stringContaining(`not send a whole page (HTTP ${status})`)]);
});
