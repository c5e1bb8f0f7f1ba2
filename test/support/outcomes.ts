import { expect } from 'vitest';
import type { Outcome } from './gantry.ts';

type Ended = Pick<Outcome, 'code' | 'stdout' | 'stderr'>;
type Said = string | RegExp | { asymmetricMatch(text: string): boolean };
type Reply = { status: number; json?: { message?: string }; text?: string; body?: string };

declare module 'vitest' {
  interface Matchers<T> {
    /** Of an outcome: its exit code, and what stderr contains, or is like: `expect.not.stringContaining(…)`. */
    toExit(code: number, ...said: Said[]): void;
    /** Of an outcome: it succeeded, and this is all of stdout, or what it matches. */
    toPrint(stdout: string | RegExp): void;
    /** Of a reply over HTTP, or of one that is to come: its status, and what its message or its text contains. */
    toAnswer(status: number, said: string | RegExp): Promise<void>;
  }
}

expect.extend({
  toExit({ code, stdout, stderr }: Ended, exit: number, ...said: Said[]) {
    const unsaid = said.filter((part) => {
      if (typeof part === 'string') return !stderr.includes(part);
      return part instanceof RegExp ? !part.test(stderr) : !part.asymmetricMatch(stderr);
    });
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
  async toAnswer(reply: Response | Reply | Promise<Response | Reply>, status: number, said: string | RegExp) {
    const answer = await reply;
    const text =
      answer instanceof Response ? await answer.text() : (answer.json?.message ?? answer.text ?? answer.body);
    const pass =
      this.equals(answer.status, status) && (said instanceof RegExp ? said.test(`${text}`) : `${text}`.includes(said));
    return { pass, message: () => `status ${answer.status}, expected ${status}: ${said}\n\n${text}` };
  },
});
