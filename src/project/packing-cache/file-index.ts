/** What is known of the files of one app folder, by their path. Each entry holds as long as the file's identity does. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeFileAtomic } from '../../disk/index.ts';
import { stringifyJson, tryParseJson } from '../../json-text.ts';

/** Of the content of a file. SHA-256 is its identity; CRC-32 is what zip archives and the platform's lists have. */
export interface Checksums {
  crc32: number;
  /** In hex. */
  sha256: string;
}

/** The content of a file as it goes into an archive. */
export interface KnownContent extends Checksums {
  /** In bytes. */
  size: number;
  /** Of the compressed blocks, in order; a small file has one. Empty if it is stored as it is. */
  keys: string[];
}

export interface IndexedFile extends Omit<KnownContent, 'keys'> {
  identity: string;
  /** Null if only its checksums are known: it was read and not packed, or its name says that it does not shrink. */
  keys: string[] | null;
}

export type FileIndex = Map<string, IndexedFile>;

/** Empty if there is none, or a damaged one. `salt`: of the keys in it. */
export async function readFileIndex(path: string, salt: string): Promise<FileIndex> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const [head = '', body = ''] = text.split('\n', 2);
  const rows = head === headOf(body, salt) ? tryParseJson(body) : [];
  return new Map(rows as [string, IndexedFile][]);
}

/** Throws system errors. */
export async function writeFileIndex(path: string, salt: string, index: FileIndex): Promise<void> {
  const body = stringifyJson([...index]);
  await writeFileAtomic(path, `${headOf(body, salt)}\n${body}\n`, { mode: 0o600 });
}

/** Damage and other versions of the format differ in it. */
function headOf(body: string, salt: string): string {
  return createHash('sha256').update(`files 4\n${salt}\n${body}`).digest('hex');
}
