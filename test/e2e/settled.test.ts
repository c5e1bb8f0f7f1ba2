import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../support/files.ts';
import { cleanEnvironment, run } from './binary.ts';

/** Requests that are never answered, and clocks that never ring: nothing keeps the event loop busy. */
const inert = `
const http = require('node:http');
const { EventEmitter } = require('node:events');
class Request extends EventEmitter { setTimeout() {} end() {} destroy() {} }
http.request = () => new Request();
globalThis.setTimeout = () => ({ unref() {} });
require('node:module').syncBuiltinESMExports();
`;

const commands = [
  ['apps', 'list', '--json'],
  ['rm', ':/a', '--yes', '--json'],
  ['secrets', 'set', 'KEY', '--from-file', 'value', '--json'],
  ['invoke', 'web', '--json'],
  ['logs', 'web', '--json'],
];

test.each(commands)('a command that waits for what never comes has failed: %s %s', async (...words) => {
  const cwd = newFolder({ 'inert.cjs': inert, value: 'x' });
  const url = 'http://127.0.0.1:1';
  const login = { GANTRY_API_URL: url, GANTRY_INFERENCE_URL: url, GANTRY_TOKEN: 'token', GANTRY_PROJECT: 'p-1' };
  const env = cleanEnvironment(undefined, { ...login, NODE_OPTIONS: `--require ${join(cwd, 'inert.cjs')}` });
  const { exitCode, stdout, stderr } = await run(words, { cwd, env });
  expect([exitCode, stderr]).toEqual([70, expect.stringContaining('the command ended without a result')]);
  const { error, type } = JSON.parse(String(stdout));
  expect([error.code, error.exitCode, type]).toEqual(['bug', 70, words[0] === 'logs' ? 'error' : undefined]);
});

test('the exit code is a failure before the program is loaded', async () => {
  const cwd = newFolder({ 'leave.cjs': 'process.nextTick(() => process.exit());' });
  const env = cleanEnvironment(undefined, { NODE_OPTIONS: `--require ${join(cwd, 'leave.cjs')}` });
  expect(await run(['apps', 'list'], { cwd, env })).toMatchObject({ exitCode: 70 });
});
