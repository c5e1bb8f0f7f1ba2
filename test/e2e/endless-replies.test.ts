import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listening, newFolder, noise } from '../support/index.ts';
import { cleanEnvironment, run } from './binary.ts';

const content = noise(3_000_000);

/** A platform and storage whose replies end with their connection, as those of HTTP/1.0 do. */
async function listen(): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (request) => {
      const [, path = ''] = /^GET (\S+)/.exec(String(request)) ?? [];
      const isContent = path.startsWith('/object');
      const entry = { name: 'a', is_folder: false, size_bytes: content.length, last_modified: '2026-01-01T00:00:00Z' };
      const json = JSON.stringify(path.includes('/download') ? { url: `${address}/object` } : [entry]);
      socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\netag: "1"\r\n');
      socket.write(`content-type: application/${isContent ? 'octet-stream' : 'json'}\r\n\r\n`);
      socket.end(isContent ? content : json);
    });
  });
  const address = await listening(server);
  return address;
}

test.each([
  ['slower than it comes', ['--limit-rate', '3MB']],
  ['at once', []],
])('a file whose length is not announced is whole when it is read %s', async (_, flags) => {
  const place = newFolder({});
  const login = { GANTRY_API_URL: await listen(), GANTRY_TOKEN: 'token', GANTRY_PROJECT: 'p-1' };
  const { exitCode, stderr } = await run(['cp', ':/a', 'a', ...flags], {
    cwd: place,
    env: cleanEnvironment(undefined, { ...login, GANTRY_CONFIG_DIR: newFolder({}) }),
  });
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('Assertion')]);
  expect(readFileSync(join(place, 'a')).equals(content)).toBe(true);
});
