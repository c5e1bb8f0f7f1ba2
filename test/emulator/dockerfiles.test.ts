import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { baseImage, engineName, noEngine, useEngine } from '../support/engine.ts';
import { oneIn } from '../support/extent.ts';
import { emulatorForEach, gantry, newFolder } from '../support/index.ts';

/** Says which files it has. */
const server = `import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(" ".join(os.listdir(".")).encode())
address = (os.environ.get("HOST", ""), int(os.environ.get("LISTEN", 8080)))
http.server.ThreadingHTTPServer(address, Handler).serve_forever()`;

const config = `[cerebrium.deployment]
name = "web"
disable_auth = true
deployment_initialization_timeout = 60
[cerebrium.runtime.custom]
port = 8080
dockerfile_path = "./Dockerfile"
`;

const [, ...cases] = readFileSync('fixtures/dockerfiles.txt', 'utf8').split(/^=== /m);
const areAll = process.env.GANTRY_TEST_DOCKERFILES === 'all';
const chosen = (areAll ? cases : oneIn(5, cases)).map((text) => [text.split('\n')[0], text]);
const isSlow = (text: string) => /^slow$/m.test(text) && !areAll;

const emulator = emulatorForEach();

describe.skipIf(noEngine)(`a Dockerfile (${noEngine ?? `on ${engineName}`})`, () => {
  test.each(chosen.filter(([, text = '']) => !isSlow(text)))('with %s', { timeout: 150_000 }, async (_, text = '') => {
    useEngine();
    const [facts = '', ...parts] = text.split(/^--- /m);
    const fact = (name: string) => new RegExp(`^${name} (.*)$`, 'm').exec(facts)?.[1];
    const files = parts.map((part) => [part.split('\n')[0], part.slice(part.indexOf('\n') + 1)]);
    const filled = files.map(([name, content = '']) => [
      name,
      content.replaceAll('BASE', baseImage).replaceAll('SERVER', server).replaceAll('\\r\n', '\r\n'),
    ]);
    const own = { 'app.py': server, 'cerebrium.toml': `${config}${fact('config') ?? ''}\n` };
    const app = newFolder({ ...own, ...Object.fromEntries(filled) });
    const setting = { emulator, cwd: app, meanwhile: () => setTimeout(200) };
    const deploy = await gantry(['deploy'], setting);
    expect(deploy.code, deploy.stderr).toBe(Number(fact('exit')));
    // Seen in the files: nothing was sent.
    if (deploy.code === 10) return;
    const answer = fact('answer');
    if (answer) {
      const reply = await fetch(`${emulator.url}/v4/${emulator.project}/web/`);
      expect([reply.status, await reply.text()]).toEqual([200, expect.stringMatching(new RegExp(answer))]);
    }
    const explained = (await gantry(['explain', 'web', '--json'], setting)).json() as Explained;
    const { cause, location, fix } = explained;
    expect(cause && `${cause} ${location ? `${location.file}:${location.line}` : 'nowhere'}`).toBe(
      fact('explain') ?? null,
    );
    expect(fix ?? '').toMatch(new RegExp(fact('fix') ?? ''));
  });
});

interface Explained {
  cause: string | null;
  location: { file: string; line: number } | null;
  fix: string | null;
}
