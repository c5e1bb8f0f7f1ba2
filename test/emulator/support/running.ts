import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmulatorOptions } from '../../../src/emulator/index.ts';
import { type Closing, platform, readJson } from './platform.ts';

/** Whether apps can run here. Names of tests that need it say so. */
export const python = hasPython();

interface Own extends EmulatorOptions {
  /** Instead of those of `fixtures/apps`. */
  files?: Record<string, string | Buffer>;
  closing?: Closing;
}

/** An emulator with a deployed app of `fixtures/apps`, and functions to call it. Uses the real clock. */
export async function running(app = 'functions', settings: object = {}, { files, closing, ...options }: Own = {}) {
  const speaking = await platform({ now: Date.now, real: true, webhookPauseMs: 10, ...options }, closing);
  const { emulator, deploy, ask } = speaking;
  const { path, build, id } = await deploy({ name: app, ...settings }, files ?? filesOf(app));
  const base = `${emulator.url}/v4/${emulator.project}/${app}`;
  const call = async (below: string, body?: unknown, more: RequestInit = {}) => {
    const answer = await fetch(`${base}/${below}`, {
      method: 'POST',
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...more,
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: readJson(text) };
  };
  const runs = async () => (await ask('GET', `${path}/runs`)).json.items;
  const logs = async (query: Record<string, string | number> = {}) =>
    (await ask('GET', `${path}/logs?${new URLSearchParams({ direction: 'forward', ...(query as object) })}`)).json;
  return {
    ...speaking,
    base,
    call,
    runs,
    logs,
    path,
    /** Its path, and its id. */
    build,
    buildId: id,
    id: `${emulator.project}-${app}`,
    /** Only the texts of an app's log lines. */
    printed: async (query?: Record<string, string | number>): Promise<string[]> =>
      ((await logs(query))?.logs ?? []).map((line: { logLine: string }) => line.logLine),
  };
}

/**
 * A server in Python with these methods of its handler, on a port that Python computes. A handler answers with text or bytes,
 * a status and headers.
 */
export const serverOf = (methods: string, port: number | string = 'int(os.environ["PORT"])') => `
import json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
${methods}
    def answer(self, body, status=200, *headers):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode() if isinstance(body, str) else body)
    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", ${port}), Handler).serve_forever()
`;

/** Python child processes of this process that still run. */
export function children(): string[] {
  const lines = execFileSync('ps', ['-eo', 'pid,ppid,stat,args'], { encoding: 'utf8' }).trim().split('\n').slice(1);
  const all = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line)?.slice(1) ?? []);
  return all
    .filter(
      ([, parent, state, words]) =>
        parent === String(process.pid) && !state?.startsWith('Z') && !/^ps /.test(words ?? ''),
    )
    .map(([, , , words]) => words ?? '')
    .filter((words) => /python/.test(words));
}

function filesOf(app: string): Record<string, string> {
  const folder = join('fixtures/apps', app);
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  );
}

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What was received of a response that is cut. Rejects if it is complete. */
export async function untilCut(address: string): Promise<string> {
  const answer = await fetch(address, { method: 'POST', body: '{}' });
  let text = '';
  try {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk);
  } catch {
    return text;
  }
  throw new Error(`the response is complete: ${text}`);
}
