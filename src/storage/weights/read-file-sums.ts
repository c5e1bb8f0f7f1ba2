import type { Context } from '../../platform/context.ts';
import { runWorkers } from '../transfer/parts.ts';
import { type FileSum, readSums } from '../transfer/read-content.ts';
import { RemoteContent } from '../transfer/remote-content.ts';
import { ChangedError } from '../transfer/storage-errors.ts';
import { urlRequester, type VolumePath, whileConnected } from '../volumes/index.ts';

const readAtOnce = 4;

/** Reads files of a volume and calls `take` with their checksums; with undefined if a file changed while it was read. */
export async function readFileSums<File extends { at: VolumePath; bytes: number; algorithm: FileSum['algorithm'] }>(
  context: Context,
  files: readonly File[],
  take: (file: File, sums: { sha256: string; hex: string } | undefined) => void,
): Promise<void> {
  if (files.length === 0) return;
  const step = context.progress.step('Reading the files on the volume');
  const rest = files.values();
  let bytes = 0;
  const reading = whileConnected(context, (resources) =>
    runWorkers(Math.min(readAtOnce, files.length), resources.signal, async (stop) => {
      for (const file of rest) {
        if (stop.aborted) return;
        const request = { ...resources, signal: stop };
        const content = new RemoteContent(file.bytes, urlRequester(file.at, context), request);
        const sums = await readSums(content, file.algorithm, request).catch((error: unknown) => {
          if (!(error instanceof ChangedError)) throw error;
          return undefined;
        });
        bytes += file.bytes;
        step.update({ bytes });
        take(file, sums);
      }
    }),
  );
  await step.show(reading);
  step.clear();
}
