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

describe('pins', () => {
  test.each([
    ['a gap', 'fastapi==0.136.2', 'error', 'fastapi 0.136.2 was never released, use fastapi 0.136.1 or 0.136.3'],
    ['a short form', 'opencv-python-headless==4.8.0', 'error', 'use opencv-python-headless 4.7.0.72 or 4.8.0.74'],
    ['after the end of a series', 'requests==2.31.7', 'warning', 'use requests 2.31.0 or 2.32.0'],
    ['after the end of a series that many followed', 'vllm==0.6.7', 'error', 'vllm 0.6.7 was never released'],
    ['a series that is not there', 'flask==2.4.0', 'warning', 'use flask 2.3.3 or 3.0.0'],
  ])('%s: %s', async (_, line, severity, said) => {
    const [first, ...others] = await told(`# what the app needs\n${line}\n`);
    expect(first).toContain(`${severity} package-version-not-found requirements.txt:2`);
    expect(first).toContain(said);
    expect(others).toEqual([]);
  });

  test('of versions that there are, or that may be there today', async () => {
    const lines = ['fastapi==0.115.14', 'pydantic==2.10', 'requests==2.99.0', 'pillow==0.1.2', 'unheard-of==1.2.3'];
    expect(await told(`${lines.join('\n')}\n`)).toEqual([]);
  });
});
