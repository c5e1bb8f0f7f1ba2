import type { Problem } from '../../kernel/errors.ts';
import { excludeLine } from './patterns.ts';

/** What is wrong with files of an app folder: errors are files that cannot be sent. */
export class WalkProblems {
  readonly warnings: Problem[] = [];
  readonly errors: Problem[] = [];

  /** `exclude` has the present patterns. */
  constructor(private readonly exclude: readonly string[]) {}

  addWarning(message: string, why?: string): void {
    this.warnings.push({ severity: 'warning', message, ...(why && { why }) });
  }

  addError(message: string, facts: Partial<Problem> = {}): void {
    this.errors.push({ severity: 'error', message, ...facts });
  }

  addOutside(link: string, target: string): void {
    this.addError(`symbolic link ${link} leads out of the app folder, to ${target}`, {
      why: 'only files in the folder of cerebrium.toml are sent',
      fix: `copy the file there, or ${excludeLine(this.exclude, [link])}`,
    });
  }

  /** Under another name it would be another file. */
  addUnnamed(path: string): void {
    this.addError(`the name of ${path} is not valid UTF-8`, { fix: 'rename or exclude it' });
  }

  addReadError(path: string, error: unknown): void {
    this.addError(`cannot read ${path}`, {
      why: reasons[errorCode(error)] ?? String(error),
      fix: `${excludeLine(this.exclude, [path])} if it is not needed`,
    });
  }
}

export const errorCode = (error: unknown): string => (error as NodeJS.ErrnoException)?.code ?? '';

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOENT: 'it was deleted meanwhile',
  EIO: 'input/output error',
};
