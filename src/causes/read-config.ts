import { resolve } from 'node:path';
import { type AppConfig, checkAppConfig } from '../app/config.ts';
import type { Context } from '../platform/context.ts';

/** The app in this folder. Undefined without a config file that can be read: a failure is explained all the same. */
export async function readConfig(
  { cwd }: Pick<Context, 'cwd'>,
  configFile = 'cerebrium.toml',
): Promise<AppConfig | undefined> {
  // The checks of a deploy would reject what explains a failure, such as an entrypoint that does not exist.
  const options = { shownAs: configFile, root: cwd, purpose: 'run' } as const;
  return (await checkAppConfig(resolve(cwd, configFile), options)).project;
}
