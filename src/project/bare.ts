import { basename } from 'node:path';
import type { Project } from './config.ts';
import { nameFrom } from './rules/name.ts';

/** A folder without a cerebrium.toml as a project: named after the folder, the rest is the platform's choice. */
export function bareProject(root: string, name?: string): Project {
  return {
    ...{ file: '', root, text: '', name: name ?? nameFrom(basename(root)), runtime: 'cortex' },
    ...{ deployment: {}, hardware: {}, scaling: {}, experimental: {} },
    dependencies: { pip: {}, conda: {}, apt: {}, paths: {} },
  };
}
