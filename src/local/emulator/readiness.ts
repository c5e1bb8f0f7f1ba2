import { closeSync, fstatSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { writeFileAtomic } from '../../kernel/disk/index.ts';
import { ConflictError, UsageError } from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/json-text.ts';

interface ReadinessOptions {
  /** Absolute. */
  readyFile?: string | undefined;
  readyFd?: number | undefined;
}

/** How an emulator tells the program that started it that it is ready. */
interface Readiness {
  /** Writes the document as one line of JSON. */
  tell(document: object): Promise<void>;
  /** Removes the file: the emulator has ended. */
  end(): void;
}

/**
 * Checks the file and the descriptor before anything is started, and removes the file of an earlier emulator. Throws
 * ConflictError for a file with other content, and UsageError for a descriptor that is not open.
 */
export function prepareReadiness({ readyFile: file, readyFd }: ReadinessOptions): Readiness {
  if (file !== undefined) removeOldFile(file);
  if (readyFd !== undefined) checkDescriptor(readyFd);
  return {
    async tell(document) {
      const line = `${JSON.stringify(document)}\n`;
      if (file !== undefined) await writeFileAtomic(file, line, { mode: 0o600 });
      if (readyFd === undefined) return;
      writeSync(readyFd, line);
      closeSync(readyFd);
    },
    end: () => file !== undefined && isReadyFile(file) && rmSync(file, { force: true }),
  };
}

/** A program that waits for the file must not read that of an earlier emulator. An empty file is one that `mktemp` made. */
function removeOldFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found || (found.isFile() && found.size === 0)) return;
  if (!found.isFile() || !isReadyFile(file)) {
    throw new ConflictError(`${file} exists and is not a ready file`, { fix: 'remove it, or pass another path' });
  }
  rmSync(file);
}

function isReadyFile(file: string): boolean {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRecord(content) && isRecord(content.environment) && typeof content.url === 'string';
  } catch {
    return false;
  }
}

function checkDescriptor(descriptor: number): void {
  try {
    fstatSync(descriptor);
  } catch (cause) {
    throw new UsageError(`file descriptor ${descriptor} is not open`, {
      fix: sentence`open it for the command: ${gantryCommand`emulator start --ready-fd ${String(descriptor)}`} ${descriptor}> ready.json`,
      cause,
    });
  }
}
