import { describe, expect, test } from 'vitest';
import type { Problem } from '../../src/kernel/errors.ts';
import { gantry, newFolder } from '../support/index.ts';

export type Files = Record<string, string>;

/** The settings of an app, more of its deployment, and what follows them. */
export const settings = (rest = '', more = '') =>
  `[cerebrium.deployment]\nname = "web"\npython_version = "3.11"\ndisable_auth = false\n${more}${rest}`;

/** Packages of pip in any version. */
export const pip = (...names: string[]) =>
  `[cerebrium.dependencies.pip]\n${names.map((name) => `${name} = "latest"\n`).join('')}`;

/** The settings of an app that is built from a Dockerfile. */
export const docker = `${settings()}[cerebrium.runtime.custom]\nport = 8000\ndockerfile_path = "./Dockerfile"\n`;

/** Of one with a command of its own, and with more settings of its deployment. */
export const custom = (command: string, more?: string) =>
  `${settings('', more)}[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ${command}\n`;

/** What `check` finds in an app of these files. */
export async function problemsOf(files: Record<string, string | Uint8Array>): Promise<Problem[]> {
  return problemsIn(newFolder(files));
}

/** In the app in a folder. */
export async function problemsIn(cwd: string): Promise<Problem[]> {
  const { json } = await gantry(['check', '--json'], { cwd });
  const found = json() as { problems?: Problem[]; error?: { details: { problems: Problem[] } } };
  return found.problems ?? found.error?.details.problems ?? [];
}

/** What it says of an app that is built from a Dockerfile, unless the files have other settings. */
export async function seen(files: Files): Promise<string[]> {
  return (await problemsOf({ 'cerebrium.toml': docker, ...files })).map(
    ({ severity, message }) => `${severity} ${message}`,
  );
}

/** What a person reads of it. */
export async function told(files: Files): Promise<string[]> {
  const { stdout, stderr } = await gantry(['check'], { cwd: newFolder({ 'cerebrium.toml': docker, ...files }) });
  return (stdout + stderr).split('\n').filter((line) => /^(?:error|warning):/.test(line));
}

/** What a person reads of apps: one line, or nothing. */
export const cases = (title: string, all: [what: string, files: Files, said: string | undefined][]) =>
  describe(title, () => {
    test.each(all)('%s', async (_, files, said) => {
      const lines = await told(files);
      if (said === undefined) expect(lines).toEqual([]);
      else expect(lines.join('\n')).toContain(said);
    });
  });
