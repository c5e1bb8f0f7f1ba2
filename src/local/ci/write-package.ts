import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, TemporaryFolder, writeFileAtomic } from '../../kernel/disk/index.ts';
import { FailedError } from '../../kernel/errors.ts';
import { releaseNames, version } from '../../kernel/version.ts';
import { ownFilePath } from '../../own-files.ts';
import type { Context } from '../../platform/context.ts';

/** Where a pipeline finds the package of gantry, from the root of the repository. Deploys do not send this folder. */
const packagePath = `.gantry/gantry-${version}.tgz`;

/** What npm installs in a pipeline: the published package, or the file of it that is committed with the pipeline. */
export function packageToInstall({ npm } = releaseNames): string {
  return npm === null ? `--offline ./${packagePath}` : `${npm}@${version}`;
}

/** What else is committed with the pipeline. */
export function committedPackage({ npm } = releaseNames): string[] {
  return npm === null ? [packagePath] : [];
}

/** Writes the package to the repository if it is not published. Returns its path; undefined if there is nothing to write. */
export async function writePackage(root: string, context: Pick<Context, 'cwd' | 'env' | 'signal' | 'progress'>) {
  const { env, signal, progress } = context;
  const file = join(root, packagePath);
  if (releaseNames.npm !== null || existsSync(file)) return undefined;
  const program = ownFilePath('..');
  const why = 'a single executable does not contain the package: run gantry of a clone';
  if (!program) throw new FailedError(`cannot write ${packagePath}`, { why });
  const { execa } = await import('execa');
  const folder = TemporaryFolder.create('package');
  try {
    const words = ['pack', program, '--ignore-scripts', '--pack-destination', folder.path];
    const { shortMessage } = await execa('npm', words, { env, extendEnv: false, cancelSignal: signal, reject: false });
    signal.throwIfAborted();
    if (shortMessage) throw new FailedError(`cannot write ${packagePath}`, { why: shortMessage });
    makeFolder(dirname(file));
    await writeFileAtomic(file, await readFile(join(folder.path, `gantry-${version}.tgz`)));
    const { isIgnored } = await import('../../deploys/git/index.ts');
    if (await isIgnored(context, file)) progress.warn(`git ignores ${packagePath}: git add --force ${packagePath}`);
    return packagePath;
  } finally {
    await folder.remove();
  }
}
