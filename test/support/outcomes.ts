import { expect } from 'vitest';
import type { Outcome } from './gantry.ts';

type Ended = Pick<Outcome, 'code' | 'stdout' | 'stderr'>;

declare module 'vitest' {
  interface Matchers<T> {
    /** Of an outcome: its exit code, and what stderr contains. */
    toExit(code: number, ...said: (string | RegExp)[]): void;
    /** Of an outcome: it succeeded, and this is all of stdout, or what it matches. */
    toPrint(stdout: string | RegExp): void;
  }
}

expect.extend({
  toExit({ code, stdout, stderr }: Ended, exit: number, ...said: (string | RegExp)[]) {
    const unsaid = said.filter((part) => (part instanceof RegExp ? !part.test(stderr) : !stderr.includes(part)));
    const missing = unsaid.map((part) => `\nstderr has not: ${part}`).join('');
    return {
      pass: code === exit && unsaid.length === 0,
      message: () => `exit code ${code}, expected ${exit}${missing}\n\nstderr:\n${stderr}\nstdout:\n${stdout}`,
    };
  },
  toPrint({ code, stdout, stderr }: Ended, text: string | RegExp) {
    const pass = code === 0 && (text instanceof RegExp ? text.test(stdout) : stdout === text);
    return { pass, message: () => `exit code ${code}\n\nstderr:\n${stderr}`, actual: stdout, expected: text };
  },
});
