import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkAppConfig } from '../../src/app/config.ts';
import type { FailureFacts } from '../../src/causes/index.ts';
import { newFolder } from '../support/files.ts';

/** A log of `fixtures/failures`, and what explains it. */
export interface FailureCase {
  name: string;
  source: 'build' | 'run';
  made: 'produced' | 'documented';
  /** The id of the cause; `unknown` for a kind that no rule knows, `nothing` for a log of work that succeeded. */
  cause: string;
  /** The config file of the app. */
  config?: string;
  /** Files of the app folder. */
  local?: string[];
  exitCode?: number;
  /** Rules were written from it, whatever its name: it is not set aside. */
  half?: 'seen';
}

const folder = resolve('fixtures/failures');

export const cases: readonly FailureCase[] = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8'));

export function readCase({ name }: FailureCase): string {
  return readFileSync(join(folder, 'logs', `${name}.log`), 'utf8');
}

/**
 * Half of the cases, chosen by their names, is set aside: rules are written from the other half only. The seed was chosen
 * before the first log was made.
 */
export function isSetAside({ name, half }: FailureCase): boolean {
  if (half === 'seen') return false;
  return (createHash('sha256').update(`gantry failures 1 ${name}`).digest()[0] ?? 0) % 2 === 1;
}

/** What `gantry explain` would know besides the log. The exit code is not among it: a build has none. */
export async function factsOf({ source, config: text, local = [] }: FailureCase): Promise<FailureFacts> {
  if (text === undefined) return { source };
  const files = Object.fromEntries(local.map((path) => [path, '']));
  const app = newFolder({ 'main.py': '', ...files, 'cerebrium.toml': text });
  const { config } = await checkAppConfig(join(app, 'cerebrium.toml'), { purpose: 'run' });
  const exists = (path: string) => local.some((file) => file === path || file.startsWith(`${path}/`));
  return { source, config, exists };
}
