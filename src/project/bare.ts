import { basename } from 'node:path';
import type { AppConfig } from './config.ts';
import { toAppName } from './rules/name.ts';

/** A folder without a cerebrium.toml as a project: named after the folder, the rest is the platform's choice. */
export function defaultAppConfig(root: string, name?: string): AppConfig {
  return {
    ...{ file: '', root, text: '', name: name ?? toAppName(basename(root)), runtime: 'cortex' },
    ...{ deployment: {}, hardware: {}, scaling: {}, experimental: {} },
    dependencies: { pip: {}, conda: {}, apt: {}, paths: {} },
  };
}
