import { gantryCommand } from '../../kernel/command-line.ts';
import { FailedError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import { readLocalApp } from './local-app.ts';
import { fileChecksums } from './packing-options.ts';
import { planDeploy } from './plan.ts';

/** What a deploy of this folder would change of the live app. */
export interface DifferenceHere {
  changed: boolean;
  /** Names of the settings. */
  settings: string[];
  /** New, changed and removed files; null if they cannot be compared. */
  paths: string[] | null;
  /** Files of equal name and size that have no checksum to compare. */
  unverified: number;
}

/** Compares as `deploy --if-changed` does. Throws FailedError for an app that takes too long to read. */
export async function compareHere(context: Context, configFile: string): Promise<DifferenceHere> {
  const local = await readLocalApp(context, { configFile, checkSource: false });
  if (local.bytes > maxBytes) {
    throw new FailedError('this folder is too large to compare quickly', { fix: gantryCommand`deploy --dry-run` });
  }
  const checksums = fileChecksums(context, local);
  const options = { compareFiles: true, checksums, trustRecord: true, dryRun: true, keepScaling: false };
  const { changed, settings, fileChanges } = await planDeploy(context, local, options);
  await checksums.save();
  const { added, changed: edited, removed } = fileChanges ?? { added: [], changed: [], removed: [] };
  return {
    changed,
    settings: settings.map(({ setting }) => setting),
    paths: fileChanges && [...added, ...edited, ...removed],
    unverified: fileChanges?.unverified ?? 0,
  };
}

const maxBytes = 2 ** 30;
