import { afterAll, afterEach, expect } from 'vitest';

/** Warnings of Node, of this process and of programs that tests start: whoever uses gantry would see them. */
const warnings: string[] = [];

/** Notes the warnings in what a program has printed. */
export function noteWarnings(stderr: unknown): void {
  warnings.push(...(String(stderr).match(/^\(node:\d+\).*$/gm) ?? []));
}

/** Fails each test during which there was a warning. */
export function failOnWarnings(): void {
  const note = ({ name, message }: Error) => {
    // Of what the tests themselves set.
    if (!/NO_COLOR|NODE_TLS_REJECT_UNAUTHORIZED/.test(message)) warnings.push(`${name}: ${message}`);
  };
  process.on('warning', note);
  afterEach(() => expect(warnings.splice(0)).toEqual([]));
  afterAll(() => void process.off('warning', note));
}
