// The three requests that a small file costs, and nothing else: no list, no journal, no checksum, no look at the end. What a
// copy of many small files could reach here at most. node three-requests.js URL CONCURRENCY FILE-WITH-PATHS
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Agent, request } from 'undici';

const [url = '', atOnce = '1', list = ''] = process.argv.slice(2);
const files = readFileSync(list, 'utf8').split('\n').filter(Boolean);
const dispatcher = new Agent({ connections: Number(atOnce), pipelining: 1 });
const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' };

/** @param {string} path @param {unknown} body */
async function post(path, body) {
  const reply = await request(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body), dispatcher });
  if (reply.statusCode !== 200) throw new Error(`${path}: ${reply.statusCode}`);
  return reply.body.text();
}

let next = 0;
async function copy() {
  for (let file = files[next++]; file !== undefined; file = files[next++]) {
    const path = `/tree/${basename(file)}`;
    const body = await readFile(file);
    const { upload_id, parts } = JSON.parse(await post('/cp/initialize', { file_path: path, part_count: 1 }));
    const sent = await request(parts[0].url, { method: 'PUT', body, dispatcher });
    await sent.body.dump();
    await post('/cp/complete', {
      upload_id,
      file_path: path,
      parts: [{ part_number: 1, etag: sent.headers.etag }],
    });
  }
}

await Promise.all(Array.from({ length: Number(atOnce) }, copy));
await dispatcher.close();
