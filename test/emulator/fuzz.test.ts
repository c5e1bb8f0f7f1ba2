import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Draw } from '../chaos/draw.js';
import { drawCase, type FuzzCase, type FuzzTarget } from '../fuzz/cases.ts';
import { drawRaw, type RawRequest } from '../fuzz/raw-request.ts';
import { emulatorForAll } from '../support/emulators.ts';
import { drawnCases, seed } from '../support/extent.ts';
import { tar } from '../support/tar.ts';
import { speaking } from './support/platform.ts';

/** `npm run fuzz -- --cases 5000 --seed 7` runs more. */
const cases = drawnCases(150, 300);

// Apps are not executed: their code may answer whatever it likes.
const emulator = emulatorForAll({ seed: 1, real: false });

test.each([
  ['of any kind get a reply, never with an internal error, and errors say what is wrong', drawRequest],
  ['that are not proper HTTP get a reply or are disconnected', drawRawRequest],
])(
  `${cases} requests %s`,
  async (_, draw) => {
    const random = new Draw(seed);
    const problems: string[] = [];
    let target = await prepare();
    for (let at = 0; at < cases; at += 1) {
      if (!emulator.store.apps.has(target.path.app ?? '')) target = await prepare();
      const { problem, sent } = await draw(random, target);
      if (problem) problems.push(`case ${at} of seed ${seed}: ${problem}\n${sent}`);
    }
    expect(problems.slice(0, 10).join('\n\n')).toBe('');
    const { ask } = speaking(emulator);
    expect((await ask('GET', '/apps')).status).toBe(200);
  },
  cases * 200 + 30_000,
);

async function drawRequest(random: Draw, target: FuzzTarget) {
  const drawn = drawCase(random, target);
  return { problem: await problemOf(drawn), sent: describeCase(drawn) };
}

async function drawRawRequest(random: Draw, target: FuzzTarget) {
  const raw = drawRaw(random, drawCase(random, target), new URL(emulator.url).host);
  return { problem: await problemOfRaw(raw), sent: raw.bytes.toString('latin1', 0, 800) };
}

/** Ends its side after the request, so that the emulator closes the connection once it has replied. */
async function problemOfRaw({ bytes, drops }: RawRequest): Promise<string | undefined> {
  const { hostname, port } = new URL(emulator.url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
  const closed = new Promise<string>((done) => socket.once('close', () => done('')));
  if (drops) socket.write(bytes, () => socket.destroy());
  else socket.end(bytes);
  const timer = new AbortController();
  const late = setTimeout(20_000, 'the connection stays open', { signal: timer.signal }).catch(() => '');
  const problem = await Promise.race([closed, late]);
  timer.abort();
  socket.destroy();
  const reply = Buffer.concat(chunks).toString();
  if (problem) return `${problem}: ${reply.slice(0, 500)}`;
  if (reply.includes('the emulator has a bug')) return reply;
  const statuses = [...reply.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
  return statuses.some((status) => status >= 500 && !meant.has(status)) ? reply.slice(0, 800) : undefined;
}

/** Apps with a Dockerfile and transfer encodings that storage does not know, apps without a build, a full disk. */
const meant = new Set([501, 503]);

/** Replies of apps, and of what stands in for them. */
const mayFail = new Set(['invoke']);

async function problemOf({ name, method, path, headers, body }: FuzzCase): Promise<string | undefined> {
  const init = { method, headers, redirect: 'manual' as const, ...(body !== undefined && { body }) };
  const answer = await fetch(emulator.url + path, { ...init, signal: AbortSignal.timeout(20_000) }).catch(
    (error: Error) => `no reply: ${error.cause ?? error}`,
  );
  if (typeof answer === 'string') return answer;
  const text = await answer.text();
  if (text.includes('the emulator has a bug')) return text;
  if (answer.status >= 500 && !mayFail.has(name)) return `${answer.status} ${text}`;
  if (answer.status < 400 || method === 'HEAD') return undefined;
  const type = answer.headers.get('content-type') ?? '';
  if (type.startsWith('application/xml') || type.startsWith('text/html')) return undefined;
  return hasMessage(text) ? undefined : `${answer.status} without a message: ${text}`;
}

/** Errors of logins have a code instead (RFC 6749). */
function hasMessage(text: string): boolean {
  try {
    const { message, error } = JSON.parse(text);
    return [message, error].some((value) => typeof value === 'string' && value !== '');
  } catch {
    return false;
  }
}

/** Resets the emulator, and creates what paths and fields refer to. */
async function prepare(): Promise<FuzzTarget> {
  await emulator.reset();
  const { ask, deploy } = speaking(emulator);
  const { id: build } = await deploy({ name: 'fuzzed' });
  const app = `${emulator.project}-fuzzed`;
  const run = emulator.store.addRun({ app, createdAt: Date.now() }).id;
  emulator.logs.add(app, { container: 'fuzzed-1', stream: 'stdout', text: 'hello', run });
  const keys = (await ask('GET', '/api-keys')).json as { apiKey: string }[];
  const { uploadUrl, dashboardUrl } = (await ask('POST', '/apps', { name: 'waiting' })).json;
  const { json: upload } = await ask('POST', '/volumes/default/cp/initialize', { file_path: '/a', part_count: 2 });
  const path = (url: string) => url.slice(emulator.url.length);
  return {
    path: {
      project: emulator.project,
      app,
      build,
      run,
      volume: 'default',
      serviceAccount: 'sa-ci',
      name: 'fuzzed',
      function: 'run',
    },
    fields: {
      name: 'fuzzed',
      file_path: '/a',
      part_count: 2,
      region: 'us-east-1',
      upload_id: upload.upload_id,
      grants: [emulator.project],
      emailAddress: 'new@example.com',
      planCode: 'hobby',
      newSizeGb: 60,
      filename: 'main.py',
      data: '{}',
      file: tar('main.py', 'print(1)\n'),
      compute: ['CPU'],
      runtime: 'cortex',
      start: new Date(Date.now() - 3_600_000).toISOString(),
      startTime: '2026-11-01T00:00:00Z',
      dir: '/',
    },
    tokens: [emulator.token, emulator.issueToken({ project_id: 'p-other' }), ...keys.map(({ apiKey }) => apiKey)],
    others: [
      ...[
        '/',
        '/v2/',
        '/v2/projects/',
        '/v4/',
        `/v4/${emulator.project}/`,
        '/activate',
        '/activate?user_code=',
        '/nothing/',
      ],
      ...[
        '/storage/',
        '/storage/volumes/',
        '/projects/',
        `/projects/${emulator.project}/apps/`,
        '/ws-logs',
        '/ws-build-logs',
      ],
      ...[path(uploadUrl), path(dashboardUrl), path(upload.parts[0].url)],
    ],
  };
}

function describeCase({ method, path, headers, body }: FuzzCase): string {
  const sent = body instanceof FormData ? [...body].map(([key, part]) => `${key}=${part}`).join('&') : (body ?? '');
  return `${method} ${path.slice(0, 500)} ${headers['content-type'] ?? ''}\n${sent.slice(0, 2_000)}`;
}
