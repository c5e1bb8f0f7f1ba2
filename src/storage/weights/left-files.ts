import { type LockedWeights, weightsLockName } from '../../app/weights-lock.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { count } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { formatRemotePath, type VolumePath } from '../volumes/index.ts';
import { ListedFiles } from './listed-files.ts';
import { readLock } from './lock-file.ts';

/** More make no command that anybody would type. */
const maxNamed = 20;

/**
 * Names the files that an earlier revision or selection brought and the lock no longer has: a program that loads the
 * folder may take them for parts of the model.
 */
export async function noteLeftFiles(context: Context, at: VolumePath, before: LockedWeights): Promise<void> {
  const here = readLock(context).filter(({ target }) => target === before.target);
  const locked = new Set(here.flatMap(({ files }) => files.map(({ path }) => path)));
  const volume = new ListedFiles(context, at);
  const left: string[] = [];
  for (const { path } of before.files) if (!locked.has(path) && (await volume.find(path))) left.push(path);
  if (left.length === 0) return;
  const [are, them] = left.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const paths = left.map((path) => formatRemotePath(volume.at(path)));
  const then =
    left.length > maxNamed
      ? sentence`to see what is there: ${gantryCommand`ls -R ${before.target}`}`
      : sentence`to remove ${them}: ${gantryCommand`rm ${paths}`}`;
  context.progress.note(
    sentence`${count(left.length, 'file')} that ${weightsLockName} had ${are} still on the volume; ${then}`,
  );
}
