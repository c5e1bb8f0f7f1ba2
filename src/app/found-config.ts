import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkAppConfig } from './config.ts';
import { ignoredFile } from './read-app-name.ts';

/** The app in this folder, or why its config file is ignored: a failure is explained all the same. */
export async function readConfig({ cwd }: { cwd: string }, configFile = 'cerebrium.toml') {
  const path = resolve(cwd, configFile);
  // The checks of a deploy would reject what explains a failure, such as an entrypoint that does not exist.
  const options = { shownAs: configFile, root: cwd, purpose: 'run' } as const;
  const { config, problems } = await checkAppConfig(path, options);
  const error = existsSync(path) ? problems.find(({ severity }) => severity === 'error') : undefined;
  return { config, ignored: error && ignoredFile(error, configFile) };
}
