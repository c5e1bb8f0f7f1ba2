import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { FileIdentity } from '../../disk/index.ts';
import type { FileEntry } from '../../project/files/entry.ts';

interface OwnOutputOptions {
  /** Files that gantry itself writes to: `gantry dev > log`. */
  files: readonly FileIdentity[];
  /** When gantry last printed something, by the monotonic clock. */
  printedAt: () => number;
  onFound: (path: string) => void;
}

/** What a file was when it was looked at last. */
interface Seen {
  ino: number;
  size: number;
  /** What it ended with. */
  end: string;
  /** How often in a row it grew at its end, right after gantry had printed something. */
  echoes: number;
  noticedAt: number;
}

/** An echo comes at once; a person or a program is hardly that quick three times in a row. */
const echoMs = 300;
const maxEchoes = 3;
const endBytes = 64;

/**
 * The files in the app folder that hold what gantry prints (`gantry dev --json > log`, `gantry dev | tee log`): they are no
 * part of the app, which would else be reloaded because it was reloaded.
 */
export class OwnOutput {
  readonly #seen = new Map<string, Seen>();
  readonly #found = new Set<string>();

  constructor(private readonly options: OwnOutputOptions) {}

  /** The others. `noticedAt` is when something in the folder changed. */
  without(entries: readonly FileEntry[], noticedAt: number): FileEntry[] {
    return entries.filter(
      ({ path, source, stats }) =>
        !('file' in source) || !this.#isOutput({ path, file: source.file, stats }, noticedAt),
    );
  }

  #isOutput(
    { path, file, stats }: { path: string; file: string; stats: FileEntry['stats'] },
    noticedAt: number,
  ): boolean {
    if (this.#found.has(path)) return true;
    const now = stats ?? statSync(file, { throwIfNoEntry: false });
    // No program prints Python.
    if (!now || /\.(py|toml)$/.test(path)) return false;
    if (this.options.files.some(({ dev, ino }) => now.dev === dev && now.ino === ino)) return true;
    const { ino, size } = now;
    const before = this.#seen.get(path);
    if (before?.size === size && before.ino === ino) return false;
    const isEcho =
      before?.ino === ino &&
      size > before.size &&
      noticedAt - this.options.printedAt() < echoMs &&
      readEnd(file, before.size) === before.end;
    const echoes = !isEcho ? 0 : before.noticedAt === noticedAt ? before.echoes : before.echoes + 1;
    this.#seen.set(path, { ino, size, end: readEnd(file, size), echoes, noticedAt });
    if (echoes < maxEchoes) return false;
    this.#found.add(path);
    this.options.onFound(path);
    return true;
  }
}

/** The bytes before this offset. */
function readEnd(file: string, offset: number): string {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(Math.min(endBytes, offset));
      return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, bytes.length, offset - bytes.length));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
}
