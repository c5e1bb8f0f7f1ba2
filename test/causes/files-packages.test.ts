import { describe, expect, test } from 'vitest';
import { broughtBy } from '../../src/causes/files/tables.ts';
import type { Problem } from '../../src/kernel/errors.ts';
import { folder } from '../app/config-folder.ts';
import { gantry } from '../support/gantry.ts';

const settings =
  '[cerebrium.deployment]\nname = "web"\npython_version = "3.11"\ndisable_auth = false\n[cerebrium.dependencies.paths]\npip = "requirements.txt"\n';

async function told(requirements: string, imports: readonly string[] = []): Promise<string[]> {
  const main = `${imports.map((name) => `import ${name}\n`).join('')}def run():\n    return 1\n`;
  const cwd = folder({ 'cerebrium.toml': settings, 'requirements.txt': requirements, 'main.py': main });
  const { json } = await gantry(['check', '--json'], { cwd });
  const found = json() as { problems?: Problem[]; error?: { details: { problems: Problem[] } } };
  const problems = found.problems ?? found.error?.details.problems ?? [];
  return problems.map(
    ({ severity, cause, location, why, fix }) =>
      `${severity} ${cause} ${location?.file}:${location?.line} ${why}, ${fix}`,
  );
}

describe('what a package brings along is never called missing', () => {
  test.each([
    ['fastapi', ['annotated_doc', 'typing_inspection', 'starlette']],
    ['sentence-transformers', ['joblib', 'threadpoolctl', 'sklearn', 'httpx']],
    ['gunicorn\nuvicorn[standard]', ['anyio', 'packaging', 'dotenv']],
  ])('of %s', async (requirements, imports) => {
    expect(await told(requirements, imports)).toEqual([]);
  });

  test('a row has what the rows of its packages have', () => {
    expect(broughtBy('sentence-transformers', [])).toContain('markupsafe');
    expect(broughtBy('six', [])).toEqual(new Set());
  });

  test('what nothing brings still is missing', async () => {
    expect(await told('fastapi', ['bs4'])).toEqual([expect.stringContaining('module-missing main.py:1')]);
  });
});
