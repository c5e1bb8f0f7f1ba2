import { execFile } from 'node:child_process';

/** The folder that an interpreter imports debugpy from; undefined if it has none. */
export function findDebugpy(python: string): Promise<string | undefined> {
  const script = 'import debugpy, os; print(os.path.dirname(os.path.dirname(os.path.abspath(debugpy.__file__))))';
  return new Promise((done) => {
    execFile(python, ['-c', script], { timeout: 30_000, windowsHide: true }, (error, stdout) => {
      done(error ? undefined : stdout.trim() || undefined);
    });
  });
}
