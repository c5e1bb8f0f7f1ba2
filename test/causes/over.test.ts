import { describe, expect, test } from 'vitest';
import { describeUnknown, explainLog } from '../../src/causes/index.ts';

const packages = '/usr/local/lib/python3.11/site-packages';

function traceback(exception: string, ...frames: [file: string, code: string][]): string {
  const shown = frames.map(([file, code]) => `  File "${file}", line 7, in run\n    ${code}\n`).join('');
  return `Traceback (most recent call last):\n${shown}${exception}\n`;
}

const refused = 'Error: connect ECONNREFUSED 10.0.0.9:6379\n    at Socket.<anonymous> (node:net:1:1)\n';

describe('a failure after which the same succeeds is no cause', () => {
  test.each([
    ['as morgan writes requests', `${refused}GET /orders 200 4.1 ms - 12\nGET /wp-login.php 404 1 ms\n`],
    ['as Nest writes them', `${refused}[Nest] 1 - LOG [Http] POST /orders 201 4ms\nqueue is empty\n`],
    ['as ASP.NET writes them', `${refused}GET /stock/4 -> 200 (9 ms)\nkeys rotated\n`],
    ['as Rails writes them', `${refused}Completed 200 OK in 4ms\nqueue is empty\n`],
    ['in JSON', `${refused}{"msg":"request","method":"GET","path":"/rates","status":200}\nrotated\n`],
    ['in logfmt', `${refused}time=1 level=INFO msg="request" method=GET path=/rates status=200\nrotated\n`],
    ['of one path', `GET /a 200 1 ms\nPOST /a 500 1 ms\nValueError: Model path does not exist: /m\nPOST /a 200 1 ms\n`],
  ])('%s', (_, log) => {
    expect(explainLog(log)).toBeUndefined();
    expect(describeUnknown(log)).toMatchObject({ cause: null, title: expect.stringContaining('goes on answering') });
  });

  test.each([
    [
      'another path still fails',
      'GET /live 200 1 ms\nPOST /a 500 1 ms\nValueError: Model path does not exist: /m\nGET /live 200 1 ms\n',
    ],
    [
      'another service has ended',
      `api | ValueError: Model path does not exist: /m\napi | worker 3 Exiting\nproxy | GET /live 200 1 ms\n`,
    ],
  ])('unless %s', (_, log) => {
    expect(explainLog(log)?.cause).toBe('file-not-found');
  });
});

test.each([
  ['npm WARN notsup SKIPPING OPTIONAL DEPENDENCY: Unsupported platform for flux@1.0.0: wanted {"os":"darwin"}'],
  ['W0609 11:05:39.4 1 pool.cc:2] no pool: CUDA driver version is insufficient for CUDA runtime version'],
])('a warning is no cause while an error ended the work: %s', (line) => {
  expect(explainLog(`${line}\n`)).toBeDefined();
  expect(explainLog(`${line}\nERROR: the flux is misaligned\n`)).toBeUndefined();
});

describe('what is raised again is read where it was raised first', () => {
  const inner = traceback("AttributeError: 'Flags' object has no attribute 'gpu'", ['/src/app.py', 'if flags.gpu:']);
  test('and the line of the app is named', () => {
    const outer = traceback("runner.SetupFailed: setup: 'Flags' object has no attribute 'gpu'", [
      `${packages}/runner/main.py`,
      'raise SetupFailed(text)',
    ]);
    const found = explainLog(`${inner}${outer}`);
    expect([found?.cause, found?.fix]).toEqual([
      'code-error',
      expect.stringMatching(/^correct app\.py:7 \(if flags\.gpu:\): /),
    ]);
  });
});

test.each([
  ['IndexError: list index out of range', /^correct main\.py:7 \(take\(\)\): look whether there is an element/],
  ["KeyError: 'prompt'", /^correct main\.py:7 \(take\(\)\): look whether the key is there/],
])('a mistake of the app is said with its line of code: %s', (exception, fix) => {
  expect(explainLog(traceback(exception, ['/app/main.py', 'take()']))?.fix).toMatch(fix);
});

test.each([
  ['AttributeError: warp', 'package-api-changed', 'engine does not fit flux'],
  [
    "AttributeError: 'tuple' object has no attribute 'warp'",
    'code-error',
    'flux got a tuple where it needs an object with warp',
  ],
  ['ValueError: 3 columns, not 4', 'code-error', 'flux refuses the call at main.py:7'],
])('the packages of a traceback are named: %s', (exception, cause, title) => {
  const log = traceback(
    exception,
    ['/app/main.py', 'take(3)'],
    [`${packages}/engine/api.py`, 'return flux.take(x)'],
    [`${packages}/flux/api.py`, 'return x.warp'],
  );
  expect(explainLog(log)).toMatchObject({ cause, title: expect.stringContaining(title) });
});

test.each([
  ['/usr/lib/python3/site-packages/fluxui/pages', 'install the version of fluxui'],
  ['/app/node_modules/@flux/ui/index.css', 'the package @flux/ui'],
  ['/tmp/tmp1/flux.pkl', 'made with the installed version'],
  ['/app/dist/server.js', 'the build makes it'],
  ['/models/flux/1/model.pt', 'mount the volume that has it at /models/flux/1'],
  ['prompts/system.txt', 'add it to the app folder'],
])('a missing file is put where it belongs: %s', (path, fix) => {
  expect(explainLog(`FileNotFoundError: [Errno 2] No such file or directory: '${path}'\n`)?.fix).toContain(fix);
});

/** What is around the telling line says more. */
test.each([
  [
    '[1] [CRITICAL] WORKER TIMEOUT (pid:8)\n[1] [WARNING] Worker with pid 8 was terminated due to signal 6\n',
    /^worker-timeout: .* raise --timeout/,
  ],
  ['$ curl 10.0.0.5:3000\ncurl: (7) Failed to connect to 10.0.0.5 port 3000: Connection refused\n', /^not-listening: /],
  [
    '=> Rails 5.0.1 application starting in production on http://localhost:3000\n$ curl 10.0.0.5:3000\ncurl: (7) Failed to connect to 10.0.0.5 port 3000\n',
    /^bound-to-localhost: the server listens on localhost only/,
  ],
  ['+ curl https://flux.example/a\ncurl: (7) Failed to connect to flux.example port 443\n', /^network-failed: another/],
  [
    "FileNotFoundError: [Errno 2] No such file or directory: 'coils.yaml\\r'\n",
    /^file-not-found: the name "coils.yaml" has a blank or a line break at its end/,
  ],
  [
    'Setting up libffi8:amd64 (3.4) ...\nImportError: libffi.so.7: cannot open shared object file: No such file or directory\n',
    /^shared-library-missing: the image has libffi8, and libffi.so.7 of another version is wanted/,
  ],
  [
    'Fatal Python error: Segmentation fault\n\nCurrent thread 0x7f (most recent call first):\n  File "/app/flux.py", line 7 in scale\n\nExtension modules: faiss._swig, torch._C (total: 2)\n',
    /^segfault: the program crashed in native code that \/app\/flux\.py:7 calls .*import torch before faiss/,
  ],
  [
    traceback(
      "TypeError: BaseEventLoop.create_connection() got an unexpected keyword argument 'extra_headers'",
      [`${packages}/flux/api.py`, 'connect()'],
      [`${packages}/websockets/client.py`, 'loop.create_connection()'],
    ),
    /^package-api-changed: flux passes extra_headers to websockets, .* pin websockets = "<14", or update flux$/,
  ],
])('the lines around a message are read: %s', (log, said) => {
  const { cause, title, fix } = explainLog(log) ?? {};
  expect(`${cause}: ${title} ${fix}`).toMatch(said);
});

test('an exception is no good end, whatever its message says', () => {
  const log = traceback('ValueError: names must match those that passed', [`${packages}/flux/api.py`, 'raise error']);
  expect(describeUnknown(log).cause).toBe('unknown');
});

test('a file that cannot be written lacks its folder', () => {
  const missing = "FileNotFoundError: [Errno 2] No such file or directory: '/app/state/a.dat'";
  const found = explainLog(traceback(missing, ['/app/main.py', "with open(path, 'wb') as file:"]));
  expect(found?.fix).toContain('mkdir -p /app/state');
});
