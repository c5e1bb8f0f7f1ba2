import { execFile } from 'node:child_process';

/** The path of the `python3` interpreter; undefined if it is not installed. */
export function findPython(): Promise<string | undefined> {
  python ??= new Promise((resolve) => {
    // `python3` may be a slow script of a version manager.
    execFile('python3', ['-c', 'import sys; print(sys.executable)'], { timeout: 10_000 }, (error, stdout) => {
      resolve(error ? undefined : stdout.trim() || undefined);
    });
  });
  return python;
}

let python: Promise<string | undefined> | undefined;

/** In pip's format. `latest`, `*` and an empty version mean any version; a bare number is exact. */
export function formatRequirements(versions: Record<string, string>): string {
  return Object.entries(versions)
    .map(([name, version]) => {
      if (['', '*', 'latest'].includes(version)) return `${name}\n`;
      return /^[=<>!~]/.test(version) ? `${name}${version}\n` : `${name}==${version}\n`;
    })
    .sort()
    .join('');
}
