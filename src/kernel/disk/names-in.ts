import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync } from 'node:fs';

/** The names in a folder. None if it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The same, with what each of them is. */
export function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** An entry of a folder. `bytes` shows a name that is not valid UTF-8, as in `caf\\xe9`: what `name` has is then another name. */
export type NamedEntry = Dirent & { bytes?: string };

/** Whether a name, as Node decodes it, may be another: it puts U+FFFD in place of what is not valid UTF-8. */
export function mayBeOtherBytes(name: string): boolean {
  return name.includes('\ufffd');
}

/** The entries of a folder, each known by the bytes of its name. For a folder with a name that may be another. */
export function entriesByBytes(folder: string): NamedEntry[] {
  return readdirSync(folder, { withFileTypes: true, encoding: 'buffer' }).map((entry) =>
    Object.assign(entry as unknown as NamedEntry, namedByBytes(entry.name)),
  );
}

/** A name or path as it is decoded, and its bytes if these are not valid UTF-8. */
export function namedByBytes(name: Buffer): Pick<NamedEntry, 'name' | 'bytes'> {
  const shown = () =>
    name.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${Buffer.from(byte, 'latin1').toString('hex')}`);
  return { name: String(name), ...(!isUtf8(name) && { bytes: shown() }) };
}
