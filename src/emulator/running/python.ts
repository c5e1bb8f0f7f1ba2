import { execFile } from 'node:child_process';

/** The interpreter that `python3` is on this machine; undefined when there is none. */
export function findPython(): Promise<string | undefined> {
  known ??= new Promise((found) => {
    // A version manager puts a script in its place, which takes longer than the interpreter itself.
    execFile('python3', ['-c', 'import sys; print(sys.executable)'], { timeout: 10_000 }, (error, stdout) => {
      found(error ? undefined : stdout.trim() || undefined);
    });
  });
  return known;
}

let known: Promise<string | undefined> | undefined;
