import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Problem } from '../kernel/errors.ts';
import { defined } from '../kernel/json-text.ts';
import { type AppConfig, checkAppConfig } from './config.ts';
import { ignoredFile } from './read-app-name.ts';

interface FoundConfig {
  config?: AppConfig;
  ignored?: Problem;
}

/** The app in this folder, or why its config file is ignored: a failure is explained all the same. */
export async function readConfig({ cwd }: { cwd: string }, configFile = 'cerebrium.toml'): Promise<FoundConfig> {
  const path = resolve(cwd, configFile);
  if (!existsSync(path)) return {};
  // The checks of a deploy would reject what explains a failure, such as an entrypoint that does not exist.
  const options = { shownAs: configFile, root: cwd, purpose: 'run' } as const;
  const { project: config, problems } = await checkAppConfig(path, options);
  const error = problems.find(({ severity }) => severity === 'error');
  return defined({ config, ignored: error && ignoredFile(error, configFile) });
}
