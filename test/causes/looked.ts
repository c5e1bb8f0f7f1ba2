import type { Problem } from '../../src/kernel/errors.ts';
import { gantry, newFolder } from '../support/index.ts';

export type AppFiles = Record<string, string>;

/** The settings of an app, and what follows them. */
export const deployment = (rest = '') =>
  `[cerebrium.deployment]\nname = "web"\npython_version = "3.11"\ndisable_auth = false\n${rest}`;

/** The settings of an app that is built from a Dockerfile. */
export const docker = `${deployment()}[cerebrium.runtime.custom]\nport = 8000\ndockerfile_path = "./Dockerfile"\n`;

/** Of one with a command of its own, and with more settings of its deployment. */
export const custom = (command: string, rest?: string) =>
  `${deployment(rest)}[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ${command}\n`;

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
export async function seen(files: AppFiles): Promise<string[]> {
  return (await problemsOf({ 'cerebrium.toml': docker, ...files })).map(
    ({ severity, message }) => `${severity} ${message}`,
  );
}

/** The same as a person reads it. */
export async function told(files: AppFiles): Promise<string[]> {
  const { stdout, stderr } = await gantry(['check'], { cwd: newFolder({ 'cerebrium.toml': docker, ...files }) });
  return (stdout + stderr).split('\n').filter((line) => /^(?:error|warning):/.test(line));
}
