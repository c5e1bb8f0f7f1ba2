import { createReadStream } from 'node:fs';
import { link } from 'node:fs/promises';
import { systemCode } from '../errors.ts';
import { writeAtomically } from './new-file.ts';

/** Puts a file at another path as well: a hard link, or a private copy on another disk. Keeps what is there already. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return;
    const copy = async (file: { write(chunk: Buffer): Promise<unknown> }) => {
      for await (const chunk of createReadStream(from)) await file.write(chunk);
    };
    await writeAtomically(to, copy, { mode: 0o600 });
  }
}
