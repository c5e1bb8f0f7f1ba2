import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { appServer, type Seen, sayJson } from './app-server.ts';
import { newFolder } from './files.ts';
import { gantry, type Setting } from './gantry.ts';

/** A line of a results file. */
export interface Line {
  index: number;
  status: string;
  result?: unknown;
  error?: { code: string; message: string; statusCode?: number };
  run: string | null;
  ms: number;
}

export type Answer = (response: ServerResponse, input: { n: number }, seen: Seen) => unknown;

export const echo: Answer = (response, input) =>
  sayJson(response, { run_id: `r-${input.n}`, run_time_ms: 1, result: input });
const app = { id: 'p-12345678-web', name: 'web', runtime: 'cortex', maxReplicaCount: '2', replicaConcurrency: '2' };
/** Inputs, as JSON lines. */
export const numbers = (count: number) => Array.from({ length: count }, (_, n) => `{"n": ${n}}\n`).join('');

/** A folder with inputs, and an app that answers their calls like this. */
export async function mapping(
  answer: Answer = echo,
  { inputs = numbers(20), details = {}, containers = [] as object[] } = {},
) {
  const called: number[] = [];
  const { env, seen } = await appServer((response, one) => {
    if (one.path.endsWith('/containers')) return sayJson(response, containers);
    if (one.method === 'GET') return sayJson(response, { ...app, ...details });
    const input = JSON.parse(String(one.body));
    called.push(input.n);
    return answer(response, input, one);
  });
  const cwd = newFolder({ 'in.jsonl': inputs });
  const file = join(cwd, 'out.jsonl');
  const run = (line = '', setting: Setting = {}) =>
    gantry(['map', 'web', 'in.jsonl', '-o', 'out.jsonl', ...line.split(' ').filter(Boolean)], { env, cwd, ...setting });
  const lines = (): Line[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const indexes = () => lines().map(({ index }) => index);
  const calls = () => seen.filter(({ method }) => method === 'POST');
  return { env, cwd, file, run, lines, indexes, called, calls };
}

export const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
export const sorted = (all: readonly number[]) => [...all].sort((one, other) => one - other);
