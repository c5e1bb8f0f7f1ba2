import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import { python } from '../emulator/support/running.ts';
import { folderOf, smallApp } from '../support/app.ts';
import { gantry } from '../support/gantry.ts';
import { temporaryFiles } from '../support/traces.ts';

/** Runs `gantry dev` in a folder until `work` returns. */
async function developing(files: Record<string, string>, flags: string[], work: (session: Session) => Promise<void>) {
  await using app = await folderOf(files);
  const stop = new AbortController();
  const heard = { stdout: '', stderr: '' };
  const session: Session = {
    write(name, text) {
      mkdirSync(dirname(join(app.path, name)), { recursive: true });
      writeFileSync(join(app.path, name), text);
    },
    async until(pattern) {
      for (let tries = 0; tries < 500; tries += 1) {
        const [, found] = pattern.exec(heard.stdout + heard.stderr) ?? [];
        if (found !== undefined) return found;
        await setTimeout(20);
      }
      throw new Error(`${pattern} was never said, but ${heard.stdout}${heard.stderr}`);
    },
    async call(body = {}) {
      const headers = { authorization: `Bearer ${await session.until(/Bearer (\S+)'/)}` };
      const url = `${await session.until(address)}/run`;
      return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    },
  };
  const running = gantry(['dev', '--port', '0', ...flags], {
    ...{ cwd: app.path, stop: stop.signal },
    seen: (stdout) => Object.assign(heard, { stdout }),
    said: (stderr) => Object.assign(heard, { stderr }),
  });
  await Promise.race([work(session), running]).finally(() => stop.abort());
  return await running;
}

interface Session {
  write(name: string, text: string): void;
  /** Waits until stdout or stderr match, and returns the first group. */
  until(pattern: RegExp): Promise<string>;
  call(body?: object): Promise<unknown>;
}

const address = /(http:\/\/127\.0\.0\.1:\d+\/v4\/p-\d+\/web)/;
const curl = spawnSync('curl', ['--version']).status === 0;
const builds = (number: number) => new RegExp(`(?:is ready in [^,]+, build (\\S+)[^]*){${number}}`);
const app = { ...smallApp(), 'main.py': 'def run(name="you"):\n    print("called by", name)\n    return "hello"\n' };

describe.skipIf(!python)('gantry dev (needs python3)', () => {
  test('runs the app, prints its URL and its log, and ends on Ctrl-C', async () => {
    const { code, stdout, stderr } = await developing(app, [], async ({ call, until }) => {
      expect(await call({ name: 'me' })).toMatchObject({ result: 'hello' });
      await until(/( {2}called by me\n)/);
    });
    expect(code).toBe(0);
    // Other users could read a token in the arguments of a process.
    expect(stdout).toMatch(
      /^http:\S+\/web\nprintf 'authorization: Bearer [^\s']+' \| curl -H @- http:\S+\/web\/run -H 'content-type: application\/json' -d '\{\}'\n$/,
    );
    expect(stderr).toMatch(/^✓ web is ready in .+, build \S+/m);
    expect(stderr).not.toMatch(/Packed|cancelling|error/);
    expect(temporaryFiles()).toEqual([]);
  });

  test.skipIf(!curl)('prints a command that calls the app (needs curl)', async () => {
    await developing(app, [], async ({ until }) => {
      const command = await until(/(printf .* -d '\{\}')\n/);
      const { stdout } = await promisify(execFile)('sh', ['-c', command]);
      expect(JSON.parse(stdout)).toMatchObject({ result: 'hello' });
    });
  });

  test('reloads on save, also in a new folder', async () => {
    await developing(app, [], async ({ call, until, write }) => {
      await until(builds(1));
      write('more/deep/words.py', 'WORD = "new"\n');
      await until(builds(2));
      write('main.py', 'from more.deep.words import WORD\ndef run():\n    return WORD\n');
      await until(builds(3));
      expect(await call()).toMatchObject({ result: 'new' });
      write('more/deep/words.py', 'WORD = "newer"\n');
      await until(builds(4));
      expect(await call()).toMatchObject({ result: 'newer' });
    });
  });

  test('keeps the previous version while the new one has an error, and ignores files that are not sent', async () => {
    const { stderr } = await developing(app, [], async ({ call, until, write }) => {
      await until(builds(1));
      write('.notes', 'not sent');
      write('cerebrium.toml', '[cerebrium.deployment]\nname = "My Web"\n');
      await until(/(invalid app name "My Web")/);
      expect(await call()).toMatchObject({ result: 'hello' });
      write('cerebrium.toml', '[cerebrium.deployment]\nname = "web"\n# fixed\n');
      await until(builds(2));
    });
    expect(stderr.match(/is ready/g)).toHaveLength(2);
    expect(stderr).toContain('fix name = "my-web"');
  });

  test('shows why a new version does not start when it is saved, and keeps the one before', async () => {
    const { stderr } = await developing(app, [], async ({ call, until, write }) => {
      await until(builds(1));
      write('main.py', 'import nothing_like_this\n');
      await until(/(ModuleNotFoundError)/);
      await until(/(still serving the previous version)/);
      expect(await call()).toMatchObject({ result: 'hello' });
      write('main.py', app['main.py'].replace('hello', 'back'));
      await until(builds(2));
      expect(await call()).toMatchObject({ result: 'back' });
    });
    expect(stderr).toMatch(/web was built but did not start[\s\S]*File "main\.py", line 1/);
    expect(stderr.match(/No module named 'nothing_like_this'/g)).toHaveLength(1);
  });

  test('passes the secrets of a file to the app', async () => {
    const files = { ...app, '.env': 'KEY=abc\n', 'main.py': 'import os\ndef run():\n    return os.environ["KEY"]\n' };
    const { stdout, stderr } = await developing(files, ['--env-file', '.env'], async ({ call }) => {
      expect(await call()).toMatchObject({ result: 'abc' });
    });
    expect(stdout + stderr).not.toContain('abc');
  });

  test('prints one line of JSON with --json', async () => {
    const { stdout } = await developing(app, ['--json'], async ({ until }) => {
      await until(builds(1));
    });
    const [started = '', ...others] = stdout.trim().split('\n');
    expect(others).toEqual(['{"type":"result"}']);
    expect(JSON.parse(started)).toMatchObject({
      app: 'web',
      endpoint: expect.stringMatching(address),
      token: expect.stringMatching(/^eyJ/),
    });
  });
});

describe('gantry dev ends at once', () => {
  test('if there is no app', async () => {
    await using empty = await folderOf({});
    const { code, stderr } = await gantry(['dev', '--port', '0'], { cwd: empty.path });
    expect([code, stderr]).toEqual([10, expect.stringContaining('cerebrium.toml')]);
    expect((await gantry(['dev', 'nowhere', '--port', '0'], { cwd: empty.path })).code).toBe(2);
  });

  test('if the port is in use', async () => {
    const other = await startEmulator();
    await using folder = await folderOf(app);
    const { code, stderr } = await gantry(['dev', '--port', new URL(other.url).port], { cwd: folder.path });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/port \d+ is in use\n.*--port 0/)]);
    await other.close();
  });
});
