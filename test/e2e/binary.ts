import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { execa, type Options } from 'execa';
import type { Emulator } from '../../src/emulator/index.ts';
import { address, machine } from '../support/index.ts';
import { noteWarnings } from '../support/process-warnings.ts';

export const bin = resolve('bin/gantry.cjs');

/** An environment in which nothing of this machine is left but where programs are. */
export function cleanEnvironment(emulator?: Emulator, more: Record<string, string> = {}): Record<string, string> {
  // Otherwise compiled code would be among the files that tests expect (code-cache.test.ts).
  const alone = { ...machine(), HOME: '/nonexistent', NODE_DISABLE_COMPILE_CACHE: '1' };
  return { ...alone, ...(emulator ? address(emulator) : {}), ...more };
}

/** Runs the built program in a process of its own; its exit code is looked at, not thrown. */
export function run(words: string[], options: Options = {}) {
  const child = execa(process.execPath, [bin, ...words], {
    env: cleanEnvironment(),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    stripFinalNewline: false,
    ...options,
  });
  child.stderr?.on('data', noteWarnings);
  return child;
}

/** The built program, running: its output so far, a wait for a word in it, and its end. */
export function start(words: string[], options: { cwd?: string; env: Record<string, string> }) {
  const child = spawn(process.execPath, [bin, ...words], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  const waiting: { pattern: RegExp; done: () => void }[] = [];
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      said[name] += chunk;
      if (name === 'stderr') noteWarnings(chunk);
      for (const { pattern, done } of waiting) if (pattern.test(said.stdout + said.stderr)) done();
    });
  }
  return {
    said,
    pid: child.pid,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    says: (pattern: RegExp) =>
      new Promise<void>((done) => {
        waiting.push({ pattern, done });
        if (pattern.test(said.stdout + said.stderr)) done();
      }),
    ended: new Promise<{ code: number | null; signal: string | null }>((done) => {
      child.on('close', (code, signal) => done({ code, signal }));
    }),
  };
}
