import { join } from 'node:path';
import { weightsLockName } from '../../app/weights-lock.ts';
import { readRegularSync } from '../../kernel/disk/index.ts';
import { realFolder } from '../../platform/config/bound-folders.ts';
import { updateStoredFile } from '../../platform/config/stored-files.ts';
import type { Context } from '../../platform/context.ts';

/**
 * Asks before a pull writes to folders of a volume that only the lock names: it comes with a repository, which others wrote.
 * What this folder has pulled to before is not asked for again.
 */
export async function confirmLockedTargets(context: Context, targets: readonly string[]): Promise<void> {
  const used = usedTargets(context);
  const others = [...new Set(targets)].filter((target) => !used.includes(entryOf(context, target)));
  if (others.length === 0) return;
  await context.prompt.confirm(
    `Pull to ${others.join(', ')}? Only ${weightsLockName} names it, and this folder never did.`,
  );
}

/** Best effort: otherwise the next pull asks. */
export async function rememberUsedTarget(context: Context, target: string): Promise<void> {
  const [used, entry] = [usedTargets(context), entryOf(context, target)];
  if (used.includes(entry)) return;
  const change = (stored: object) => ({ ...stored, [realFolder(context.cwd)]: [...used, entry] });
  await updateStoredFile(context.settings.folders.state, 'pulls', change).catch(() => {});
}

function usedTargets({ settings, cwd }: Context): unknown[] {
  try {
    const used = JSON.parse(readRegularSync(join(settings.folders.state, 'pulls.json')))[realFolder(cwd)];
    return Array.isArray(used) ? used : [];
  } catch {
    return [];
  }
}

function entryOf({ target: { platform, project } }: Context, path: string): string {
  return `${platform.value} ${project.value} ${path}`;
}
