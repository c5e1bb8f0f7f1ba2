import { describe, expect, test } from 'vitest';
import { broughtBy } from '../../src/causes/files/tables.ts';
import { gantry, newFolder } from '../support/index.ts';
import { problemsOf } from './looked.ts';

const settings =
  '[cerebrium.deployment]\nname = "web"\npython_version = "3.11"\ndisable_auth = false\n[cerebrium.dependencies.paths]\npip = "requirements.txt"\n';

async function told(requirements: string, imports: readonly string[] = []): Promise<string[]> {
  const main = `${imports.map((name) => `import ${name}\n`).join('')}def run():\n    return 1\n`;
  const problems = await problemsOf({ 'cerebrium.toml': settings, 'requirements.txt': requirements, 'main.py': main });
  return problems.map(
    ({ severity, cause, location, why, fix }) =>
      `${severity} ${cause} ${location?.file}:${location?.line} ${why}, ${fix}`,
  );
}

describe('what a package brings along is never called missing', () => {
  test.each([
    ['fastapi', ['annotated_doc', 'typing_inspection', 'starlette']],
    ['sentence-transformers', ['joblib', 'threadpoolctl', 'sklearn', 'httpx']],
    ['opencv-contrib-python-headless', ['numpy']],
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
    ['a short form', 'opencv-python-headless==4.12.0', 'error', 'use opencv-python-headless 4.11.0.86 or 4.12.0.88'],
    ['after the end of a series', 'requests==2.31.7', 'warning', 'use requests 2.31.0 or 2.32.0'],
    ['after the end of a series that many followed', 'vllm==0.6.7', 'error', 'vllm 0.6.7 was never released'],
    ['a series that is not there', 'flask==2.4.0', 'warning', 'use flask 2.3.3 or 3.0.0'],
  ])('%s: %s', async (_, line, severity, said) => {
    const [first, ...others] = await told(`# what the app needs\n${line}\n`);
    expect(first).toContain(`${severity} package-version-not-found requirements.txt:2`);
    expect(first).toContain(said);
    expect(others).toEqual([]);
  });

  test.each([
    ['tensorflow==2.9.0', 'it has them for Python 3.10 (https://pypi.org', 'use tensorflow 2.12.0 to 2.21.0'],
    ['flash-attn==2.6.3', 'it has none for a Python that is offered', 'name the URL of a wheel'],
  ])('%s has no wheels for the Python of the app', async (line, why, fix) => {
    const said = (await told(`${line}\n`)).find((each) => each.startsWith('warning python-version-unsupported'));
    expect(said).toContain(why);
    expect(said).toContain(fix);
  });

  test('of versions that there are, or that may be there today', async () => {
    const lines = ['fastapi==0.115.14', 'pydantic==2.10', 'requests==2.99.0', 'pillow==0.1.2', 'unheard-of==1.2.3'];
    expect(await told(`${lines.join('\n')}\n`)).toEqual([]);
  });
});

describe('what code needs without importing it', () => {
  const saidOf = async (requirements: string, code: string) => {
    const cwd = newFolder({ 'cerebrium.toml': settings, 'requirements.txt': requirements, 'main.py': code });
    const { stdout, stderr } = await gantry(['check'], { cwd });
    return /needs (\S+), and nothing installs it/.exec(stdout + stderr)?.[1];
  };
  const withRun = (code: string) => `${code}\n\n\ndef run():\n    return 1\n`;
  const mail = withRun('from pydantic import EmailStr\n\nprint(EmailStr)');
  const table = withRun('import pandas\n\npandas.DataFrame().to_parquet("/tmp/a")');

  test.each([
    ['an import', 'pydantic\n', mail, 'email-validator'],
    ['a method', 'pandas\n', table, 'pyarrow'],
  ])('by %s', async (_, requirements, code, missing) => {
    expect(await saidOf(requirements, code)).toBe(missing);
  });

  test.each([
    ['brought by an extra that nobody knows', 'pydantic[email]\n', mail],
    ['there by another name', 'pandas\nfastparquet\n', table],
  ])('not what is %s', async (_, requirements, code) => {
    expect(await saidOf(requirements, code)).toBeUndefined();
  });
});

test.each([
  ['vllm==0.6.6.post1\ntorch==2.4.0\n', 'vllm 0.6.6.post1 needs torch==2.5.1, and the pin is 2.4.0'],
  ['streamlit==1.41.1\npandas>=3.0.1\n', 'streamlit 1.41.1 needs pandas<3, and what is asked is >=3.0.1'],
  ['kokoro==0.9.4\n', undefined],
  ['transformers==4.47.1\nhuggingface_hub==0.27.1\ntokenizers==0.21.0\n', undefined],
  ['psycopg[pool,binary]\n', undefined],
  ['gradio==5.9.1\nfastapi==0.104.1\n', 'gradio 5.9.1 needs fastapi>=0.115.2'],
  ['arq==0.26.1\nredis==6.2.0\n', 'arq 0.26.1 needs redis<6'],
  ['geopandas==1.0.1\nshapely==1.8.5\n', 'geopandas 1.0.1 needs shapely>=2'],
  ['opencv-python==4.12.0.88\nnumpy==1.26.4\n', 'opencv-python 4.12.0.88 needs numpy>=2,<2.3'],
  ['langchain-openai==0.2.14\nopenai==0.28.1\n', 'langchain-openai 0.2.14 needs openai>=1.40'],
  ['spacy==3.7.5\nnumpy==2.1.0\n', 'spacy 3.7.5 needs numpy<2'],
  ['gradio==5.9.1\nfastapi==0.115.6\narq==0.26.1\nredis==5.2.1\nspacy==3.7.5\n', undefined],
])('versions that do not fit: %s', async (requirements, why) => {
  const said = await told(requirements, requirements.startsWith('psycopg') ? ['psycopg'] : []);
  expect(said).toEqual(why === undefined ? [] : [expect.stringContaining(why)]);
});
