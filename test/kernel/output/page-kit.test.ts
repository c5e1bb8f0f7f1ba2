import { expect, test } from 'vitest';
import { copyButton, html, rowsTable, wrapping } from '../../../src/kernel/output/page-kit/page-kit.ts';

test('markup escapes its values, but not markup in them', () => {
  const name = '<img src=x onerror="alert(1)">\u001b[31mred';
  expect(html`<p>${name} ${html`<b>${1}</b>`}${[2, null, false, undefined]}</p>`.text).toBe(
    '<p>&#60;img src=x onerror=&#34;alert(1)&#34;&#62;red <b>1</b>2</p>',
  );
  expect(copyButton('a"b\nc').text).toContain('data-copy="a&#34;b\nc"');
});

test.each([
  ['/a-long/path?with=a&query', '/<wbr>a-<wbr>long/<wbr>path?<wbr>with=<wbr>a&#38;<wbr>query'],
  ['2026-11-28 12:45:26 UTC', '2026-11-28 12:45:26 UTC'],
  ['min_replicas', 'min_replicas'],
  ['\u001b[1;31man error without a color\u001b[0m', 'an error without a color'],
])('%j may be broken as %j', (text, broken) => {
  expect(wrapping(text).text).toBe(broken);
});

test('a table without rows says so', () => {
  expect(rowsTable(['App'], [], 'No apps yet.').text).toBe('<p class="quiet">No apps yet.</p>');
});
