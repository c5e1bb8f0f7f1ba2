import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import { fixture, gantry, newFolder } from '../support/index.ts';
import { python } from './support/running.ts';

/** Installs from the package index, so it runs only if this is set; the environments are kept for the next time. */
const usesNetwork = process.env.GANTRY_TEST_PACKAGES === '1' && Boolean(python);
const packages = resolve('node_modules/.cache/gantry/packages');

/** Deploys the app of a folder with its packages. */
async function deployed(cwd: string) {
  const emulator = await startEmulator({ install: true, packages });
  onTestFinished(() => emulator.close());
  const setting = { emulator, cwd, meanwhile: () => setTimeout(50) };
  const { code, stderr } = await gantry(['deploy', '-q', '--timeout', '10d'], setting);
  expect(code, stderr).toBe(0);
  return { emulator, setting };
}

describe.skipIf(!usesNetwork)('with packages (needs GANTRY_TEST_PACKAGES=1 and uv)', () => {
  test('a FastAPI app checks and answers requests', async () => {
    const { setting } = await deployed(fixture('fastapi'));
    const call = (...words: string[]) =>
      gantry(['invoke', 'fastapi', '--path', '/predict', '--json', ...words], setting);
    const { json } = await call('text=hello', 'repeat:=2');
    expect(json()).toMatchObject({ statusCode: 200, body: { text: 'hello hello' } });
    expect(await call('repeat:=2')).toMatchObject({ code: 13 });
  });

  test('a Gradio page is shown, and its function streams its result', async () => {
    const { emulator } = await deployed(fixture('gradio'));
    const headers = { authorization: `Bearer ${emulator.token}`, 'content-type': 'application/json' };
    const request = (path: string, body?: object) =>
      fetch(`${emulator.url}/v4/${emulator.project}/gradio/ui${path}`, {
        headers,
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
    expect(await (await request('/')).text()).toContain('gradio');
    const started = await request('/gradio_api/call/greet', { data: ['Ada'] });
    const { event_id } = (await started.json()) as { event_id: string };
    expect(await (await request(`/gradio_api/call/greet/${event_id}`)).text()).toContain('"hello Ada"');
  });

  test('the app of docs/first-app.md tells languages apart', async () => {
    const page = readFileSync('docs/first-app.md', 'utf8');
    const [, code = ''] = /```python\n([\s\S]*?)```/.exec(page) ?? [];
    const [, requirement = ''] = /echo '(.*)' >> cerebrium.toml/.exec(page) ?? [];
    const settings = `[cerebrium.deployment]\nname = "language"\n[cerebrium.dependencies.pip]\n${requirement}\n`;
    const { setting } = await deployed(newFolder({ 'main.py': code, 'cerebrium.toml': settings }));
    const { json } = await gantry(['invoke', 'language', 'text=Guten Morgen zusammen', '--json'], setting);
    expect(json()).toMatchObject({ body: { result: { language: 'de', confidence: 0.96 } } });
  });
});
