import type { Problem } from '../../src/kernel/errors.ts';
import { folder } from '../app/config-folder.ts';
import { gantry } from '../support/gantry.ts';

export type AppFiles = Record<string, string>;

const deployment = (rest = '') =>
  `[cerebrium.deployment]\nname = "web"\npython_version = "3.11"\ndisable_auth = false\n${rest}`;

/** The settings of an app that is built from a Dockerfile. */
export const docker = `${deployment()}[cerebrium.runtime.custom]\nport = 8000\ndockerfile_path = "./Dockerfile"\n`;

/** Of one with a command of its own, and with more settings of its deployment. */
export const custom = (command: string, rest?: string) =>
  `${deployment(rest)}[cerebrium.runtime.custom]\nport = 8000\nentrypoint = ${command}\n`;

/** What `check` says of an app of these files. */
export async function seen(files: AppFiles): Promise<string[]> {
  return seenIn(folder({ 'cerebrium.toml': docker, ...files }));
}

/** Of the app in a folder. */
export async function seenIn(cwd: string): Promise<string[]> {
  const { json } = await gantry(['check', '--json'], { cwd });
  const found = json() as { problems?: Problem[]; error?: { details: { problems: Problem[] } } };
  const problems = found.problems ?? found.error?.details.problems ?? [];
  return problems.map(({ severity, message }) => `${severity} ${message}`);
}
