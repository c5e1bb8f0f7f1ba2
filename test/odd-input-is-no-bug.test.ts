import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { generateDependencyFiles } from '../src/app/dependencies.ts';
import { analyzeProgram, withFunctionCall } from '../src/app/python-program.ts';
import { readRequirements } from '../src/app/requirements.ts';
import { FailedError, UnexpectedReplyError } from '../src/kernel/errors.ts';
import { toSystemError } from '../src/kernel/output/system-error.ts';
import { jsonLeaves } from '../src/platform/replies/index.ts';
import { parseSignedUrl } from '../src/storage/transfer/signed-url.ts';
import { lines } from './support/command-lines.ts';
import { emulatorForAll, gantry, newFolder, serving, smallApp, startEmulator } from './support/index.ts';

const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

/** A platform that gives one text to every request. */
async function giving(text: string, status = 200): Promise<Record<string, string>> {
  const url = await serving((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  return { GANTRY_API_URL: url, GANTRY_INFERENCE_URL: url, GANTRY_TOKEN: 'a-token-0123', GANTRY_PROJECT: 'p-12345678' };
}

describe('JSON 20,000 levels deep', () => {
  const app = `{"id":"p-12345678-web","name":"web","projectId":"p-12345678","status":"ready","extra":${deep}}`;

  test.each([
    ['apps get web', app],
    ['apps get web --json', app],
    ['apps list --json', `[${app}]`],
    ['api GET /x', deep],
    ['api GET /x --json', deep],
    ['invoke web --json', deep],
    ['apps get web', app.replace('"ready"', deep)],
    ['apps get web --json', app.replace('"ready"', deep)],
    ['apps list', `[${app.replace('"p-12345678-web"', deep)}]`],
    ['apps list --json', `[${app.replace('"p-12345678-web"', deep)}]`],
    ['service-accounts list --json', `{"serviceAccounts":[{"id":${deep},"name":${deep},"grants":[${deep}]}]}`],
    ['runs get web r-1 --json', `{"item":{"id":"r-1","async":${deep},"status":${deep}}}`],
    ['projects list --json', `[{"id":"p-1","extra":${deep}}]`],
  ])('gantry %s prints it', async (line, reply) => {
    const { code, stdout, stderr } = await gantry(line.split(' '), { env: await giving(reply) });
    expect(stderr).not.toContain('mistake in gantry');
    expect(code).toBe(0);
    expect(line.includes('--json') ? stdout : '[[[[').toContain('[[[[');
  });

  test.each(['apps list', 'apps list --json', 'invoke web', 'invoke web --json'])(
    'gantry %s fails with the code of its status',
    async (line) => {
      const env = await giving(`{"message":"no","details":${deep}}`, 403);
      const { code, stderr } = await gantry(line.split(' '), { env });
      expect(stderr).not.toContain('mistake in gantry');
      expect(code).toBe(5);
    },
  );

  test('is listed as paths and values', () => {
    expect(
      jsonLeaves(JSON.parse(`{"a":1,"b":${deep.replace('[]', '[2]')},"c":{"d":3}}`)).map(([, value]) => value),
    ).toEqual([1, 2, 3]);
  });
});

describe('an id that no URL can have', () => {
  const emulator = emulatorForAll({ real: false });
  const ids = /^(web|b-1|r-1|ci|p-2|p-other)$/;
  const withIds = Object.entries(lines).filter(([, words]) => words.some((word) => ids.test(word)));

  test.each(withIds)('of %s is refused', async (command, words) => {
    const app = newFolder({ ...smallApp(), 'inputs.jsonl': '{}\n' });
    for (const id of ['..', '.', '', '\ud800', 'a\udc00b']) {
      const given = words.map((word) => (ids.test(word) ? id : word));
      const { code, stderr } = await gantry([...command.split(' '), ...given], { emulator, cwd: app });
      expect([id, stderr]).toEqual([id, expect.not.stringMatching(/mistake in gantry|URIError/)]);
      expect([2, 6]).toContain(code);
    }
  });
});

describe('an error of the operating system', () => {
  test('names the file, and is not reported as a bug', async () => {
    const app = newFolder({ 'file.txt': 'x' });
    const refused = await writeFile(join(app, 'file.txt', 'x'), '').catch((error) => error);
    const failure = toSystemError(refused);
    expect(failure).toBeInstanceOf(FailedError);
    expect(failure?.message).toBe(`cannot open ${join(app, 'file.txt', 'x')}: not a directory`);
  });

  test('exits with 1', async () => {
    const emulator = await startEmulator({ real: false });
    onTestFinished(() => emulator.close());
    const app = newFolder(smallApp());
    const env = { GITHUB_OUTPUT: app };
    const { code, stderr } = await gantry(['deploy', '--yes'], { emulator, cwd: app, env });
    expect(stderr).toContain(`error: cannot open ${app}: illegal operation on a directory\n`);
    expect(stderr).not.toContain('mistake in gantry');
    expect(code).toBe(1);
  });

  test.each([
    new TypeError('x is not a function'),
    Object.assign(new Error('EBADF: bad file descriptor, write'), { code: 'EBADF', syscall: 'write' }),
    Object.assign(new Error('no syscall'), { code: 'ERR_INVALID_ARG_TYPE' }),
    'text',
  ])('is distinguished from other errors: %s', (error) => {
    expect(toSystemError(error)).toBeUndefined();
  });
});

test.each(['upload', 'download'] as const)('an invalid %s URL is an unexpected reply of the platform', (what) => {
  expect(() => parseSignedUrl('not a url?X-Amz-Signature=1', what)).toThrow(UnexpectedReplyError);
  expect(() => parseSignedUrl('not a url?X-Amz-Signature=1', what)).toThrow(
    `the platform sent an invalid ${what} URL: "not a url"`,
  );
  expect(() => parseSignedUrl('http://storage.test/x', what)).toThrow(FailedError);
});

test('a module may start with a byte-order mark', () => {
  const source = Buffer.from('\ufeffdef hello():\n    pass\n\nif __name__ == "__main__":\n    hello()\n');
  const program = analyzeProgram(source);
  expect(program.functions).toEqual(['hello']);
  expect(program.guards.map((at) => source.toString('latin1', at, at + 8))).toEqual(['__name__']);
  expect(withFunctionCall(source, program, { name: 'hello', allowsWholeData: true }).subarray(0, 3)).toEqual(
    Buffer.from('\ufeff'),
  );
});

describe('a name of Object.prototype', () => {
  const names = ['__proto__', 'constructor', 'toString'];

  test.each(names)('%s is a package of requirements.txt', async (name) => {
    const entry = { path: 'requirements.txt', size: 1, executable: false, source: { text: `${name}==1.2\n` } };
    expect(Object.entries(await readRequirements(entry, () => {}))).toEqual([[name, '==1.2']]);
  });

  test.each(names)('%s is a package of cerebrium.toml', async (name) => {
    const files = smallApp();
    const toml = `${files['cerebrium.toml']}\n[cerebrium.dependencies.pip]\n${name} = "1.2"\n`;
    const app = newFolder({ ...files, 'cerebrium.toml': toml });
    const { code, stdout } = await gantry(['deploy', '--dry-run', '-o', 'out.zip', '--json'], { cwd: app });
    expect(code).toBe(0);
    expect(stdout).toContain('requirements.txt');
    const dependencies = { pip: Object.fromEntries([[name, '1.2']]), conda: {}, apt: {}, paths: {} };
    const [file] = generateDependencyFiles({ root: app, deployment: {}, dependencies });
    expect(file?.entry.source).toEqual({ text: `${name}==1.2\n` });
  });

  test.each(names)('%s is not a field of a result', async (name) => {
    const env = await giving('[{"id":"p-12345678-web","name":"web","projectId":"p-12345678","status":"ready"}]');
    expect(await gantry(['apps', 'list', `--json=${name}`], { env })).toExit(2, `unknown JSON field "${name}"`);
  });

  test.each(names)('%s is no topic of help', async (name) => {
    expect((await gantry(['help', name])).code).toBe(2);
  });

  test.each(names)('%s is a secret', async (name) => {
    const app = newFolder({ '.env': `${name}=a-value-0123\n` });
    const bodies: string[] = [];
    let stored = '{}';
    const url = await serving(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (body) bodies.push(body);
      if (body) stored = body;
      response.writeHead(200, { 'content-type': 'application/json' }).end(stored);
    });
    const env = { GANTRY_API_URL: url, GANTRY_TOKEN: 'a-token-0123', GANTRY_PROJECT: 'p-1' };
    for (const line of ['secrets set --from-env-file .env --yes', `secrets set ${name} --from-file .env --yes`]) {
      expect((await gantry(line.split(' '), { env, cwd: app })).code).toBe(0);
      expect(bodies.pop()).toContain(`"${name}":"`);
    }
    const { code } = await gantry(['secrets', 'set', name, '--from-env', '--yes'], { env, cwd: app });
    expect(code).toBe(2);
  });
});
