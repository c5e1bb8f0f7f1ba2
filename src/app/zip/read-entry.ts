import { text } from 'node:stream/consumers';

/** The text of a file in an archive that gantry has packed; undefined if it has none of this name. */
export async function readArchivedText(archive: string, path: string): Promise<string | undefined> {
  const { openPromise } = await import('yauzl');
  const zip = await openPromise(archive, { autoClose: false, lazyEntries: true, strictFileNames: true });
  try {
    for await (const entry of zip.eachEntry())
      if (entry.fileName === path) return await text(await zip.openReadStreamPromise(entry));
    return undefined;
  } finally {
    zip.close();
  }
}
