import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** A folder with these files, removed with `await using`. */
export async function folderOf(files: Record<string, string>): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'gantry-test-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** The smallest app that deploys. */
export function smallApp(more = ''): Record<string, string> {
  return {
    'cerebrium.toml': `[cerebrium.deployment]\nname = "web"\ndisable_auth = false\n${more}`,
    'main.py': 'def run():\n    return {"hello": "world"}\n',
  };
}

export const fixture = (app: string): string => resolve('fixtures/apps', app);
