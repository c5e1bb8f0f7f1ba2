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
  ])('unless %s', (_, log) => {
    expect(explainLog(log)?.cause).toBe('file-not-found');
  });
});

test.each([
  ['IndexError: list index out of range', /^correct main\.py:7 \(take\(\)\): look whether there is an element/],
  ["KeyError: 'prompt'", /^correct main\.py:7 \(take\(\)\): look whether the key is there/],
])('a mistake of the app is said with its line of code: %s', (exception, fix) => {
  expect(explainLog(traceback(exception, ['/app/main.py', 'take()']))?.fix).toMatch(fix);
});

/** What is around the telling line says more. */
test.each(
  Object.entries({
    '[1] [CRITICAL] WORKER TIMEOUT (pid:8)\n[1] [WARNING] Worker with pid 8 was terminated due to signal 6\n':
      /^worker-timeout: .* raise --timeout/,
    '$ curl 10.0.0.5:3000\ncurl: (7) Failed to connect to 10.0.0.5 port 3000: Connection refused\n': /^not-listening: /,
    '=> Rails 5.0.1 application starting in production on http://localhost:3000\n$ curl 10.0.0.5:3000\ncurl: (7) Failed to connect to 10.0.0.5 port 3000\n':
      /^bound-to-localhost: the server listens on localhost only/,
    '+ curl https://flux.example/a\ncurl: (7) Failed to connect to flux.example port 443\n': /^network-failed: another/,
  }),
)('the lines around a message are read: %s', (log, said) => {
  const { cause, title, fix } = explainLog(log) ?? {};
  expect(`${cause}: ${title} ${fix}`).toMatch(said);
});

test('an exception is no good end, whatever its message says', () => {
  const log = traceback('ValueError: names must match those that passed', [`${packages}/flux/api.py`, 'raise error']);
  expect(describeUnknown(log).cause).toBe('unknown');
});

/** A mistake of the code is one of the app only where the last file that is named is its own. */
test.each([
  ['syntax-error', traceback('SyntaxError: invalid syntax', ['/app/main.py', 'import async'])],
  [
    'python-version-unsupported',
    traceback('SyntaxError: invalid syntax', [`${packages}/kombu/compat.py`, 'import async']),
  ],
  ['code-error', 'app/server.go:18:10: undefined: Flux\n'],
  [undefined, '/go/pkg/mod/example.com/flux@v1.2.0/api.go:18:10: undefined: Flux\n'],
  [undefined, '/go/src/github.com/acme/flux/api.go:18:10: undefined: Flux\n'],
  ['code-error', 'error[E0425]: cannot find value `flux` in this scope\n  --> src/main.rs:83:9\n'],
  [
    undefined,
    'error[E0425]: cannot find value `flux`\n  --> /usr/local/cargo/registry/src/index/flux-0.3.2/src/lib.rs:83:9\n',
  ],
  [undefined, "node_modules/flux/index.ts:4:2 - error TS2339: Property 'a' does not exist on type 'B'.\n"],
  ['code-error', "thread 'main' panicked at src/main.rs:12:30:\ncalled `Result::unwrap()` on an `Err` value: NoFlux\n"],
])('%s is said where the file shows it: %s', (cause, log) => {
  expect(explainLog(log)?.cause).toBe(cause);
});

describe('what comes after a failure is not its cause, and no good end', () => {
  const failed = 'ImportError: libflux.so.2: cannot open shared object file: No such file or directory\n';

  test.each(['[cont-finish.d] done.', 'Cleaning up project directory: done', 'Removing network flux ... done'])(
    'as the container is tidied: %s',
    (end) => {
      expect(explainLog(`${failed}${end}\n`)?.cause).toBe('shared-library-missing');
    },
  );

  test('a program that could not be fetched is not the cause of what lacks it', () => {
    const failed = 'curl: (6) Could not resolve host: flux.example\n';
    expect(explainLog(`${failed}/bin/sh: uv: not found\n`)?.cause).toBe('network-failed');
    expect(explainLog(`${failed}tar: flux.tgz: Cannot open: No such file or directory\n`)?.cause).toBe(
      'network-failed',
    );
    expect(explainLog('/bin/sh: uv: not found\n')?.cause).toBe('command-not-found');
  });

  test.each(['[1] [INFO] Reason: Worker failed to boot.', 'ERROR:    Application startup failed. Exiting.'])(
    'a server that gave up did not fail by where it listens: %s',
    (line) => {
      const log = '[1] [INFO] Listening at: http://127.0.0.1:8000 (1)\n';
      expect(explainLog(log)?.cause).toBe('bound-to-localhost');
      expect(explainLog(`${log}${line}\n`)).toBeUndefined();
    },
  );

  test('a warning that only its letter shows is not the cause of a later exception', () => {
    const warned = 'W tensorflow/dso_loader.cc:64] Could not load libcudart.so.11.0: cannot open shared object file\n';
    const log = `${warned}${traceback('RuntimeError: the flux is misaligned', ['/app/main.py', 'run()'])}`;
    expect(explainLog(log)?.cause).toBe('code-error');
  });

  test('a list of vulnerabilities is no failure', () => {
    const log = '9 vulnerabilities (2 moderate, 6 high, 1 critical)\n#12 exporting to image\n#12 DONE 1.9s\n';
    expect(describeUnknown(log).cause).toBe(null);
  });
});
