import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect } from 'vitest';
import type { Emulator } from '../../src/emulator/index.ts';
import type { Outcome } from './gantry.ts';

/** What must hold after every command, however it ended: no secret was said, no temporary file is left. */
export function expectNoTrace({ stdout, stderr }: Pick<Outcome, 'stdout' | 'stderr'>, { token }: Emulator): void {
  for (const said of [stdout, stderr]) {
    expect(said).not.toContain(token);
    expect(said).not.toContain(token.split('.')[2]);
    expect(said).not.toMatch(/X-Amz-|Bearer e/i);
  }
  expect(temporaryFiles()).toEqual([]);
}

/** Left by the program under test; folders of the tests and their emulators are none. */
export function temporaryFiles(): string[] {
  return readdirSync(tmpdir()).filter((name) => /^gantry-(?!test-|emulator-)/.test(name));
}

/** The one document, or the only line of a stream, that `--json` prints when a command fails. */
export function expectErrorDocument({ code, json }: Pick<Outcome, 'code' | 'json'>): void {
  const { type = 'error', warnings = [], ...document } = json() as { type?: string; warnings?: unknown };
  expect(type).toBe('error');
  expect(warnings).toBeInstanceOf(Array);
  expect(document).toEqual({
    error: expect.objectContaining({ code: expect.any(String), message: expect.stringMatching(/\S/), exitCode: code }),
  });
}
