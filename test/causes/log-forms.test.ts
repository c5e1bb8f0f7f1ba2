import { describe, expect, test } from 'vitest';
import { describeUnknown, explainLog } from '../../src/causes/index.ts';

const traceback = (exception: string, file = '/app/main.py') =>
  `Traceback (most recent call last):\n  File "${file}", line 2, in <module>\n    work()\n${exception}`;

describe('what is around a message', () => {
  const error = "ModuleNotFoundError: No module named 'PIL'";

  test.each([
    ['JSON', JSON.stringify({ level: 'error', msg: error })],
    ['JSON of Docker', JSON.stringify({ log: `${error}\n`, stream: 'stderr' })],
    ['JSON with a traceback of several lines', JSON.stringify({ message: 'failed', exc_info: traceback(error) })],
    ['Kubernetes', `[pod/web-1/app] ${error}`],
    ['a step of a build', `#8 0.412 ${error}`],
    ['the name of a service and a time', `api-1  | 2026-11-20T10:00:00.1Z ${error}`],
    ['a time and a stream between tabs', `2026-11-20T10:00:00.1Z\tstderr\t${error}`],
    ['syslog', `Nov 20 10:00:00 web python3[15]: ${error}`],
    ['a host of apps', `app[1f2e] fra [info]${error}`],
    ['a build of Google Cloud', `Step #2 - "Deploy": ${error}`],
    ['Railway', `[err]  ${error}`],
    ['Vercel and Streamlit', `[10:00:00.123] ${error}`],
    ['Netlify', `10:00:00 AM: ${error}`],
    ['Render', `Nov 9 03:03:10 PM  ${error}`],
    ['Coolify', `2026-Nov-19 08:52:50.202776 ${error}`],
    ['GitLab', `2026-11-20T10:00:00.202776Z 01O ${error}`],
    ['PM2', `10:30:50 0|web  | ${error}`],
    ['Swarm', `web.1.abc@node1    | ${error}`],
    ['a push to a host of apps', `remote: ${error}`],
    ['Turborepo', `web:build: ${error}`],
    ['the logging of Python', `ERROR:root:${error}`],
    ['a level', `ERROR: ${error}`],
    ['a level, and a time with slashes', `2026/11/20 10:00:00 [ERROR] ${error}`],
    ['a time, a name and a level', `2026-11-20 10:00:00,123 - app.main - ERROR - ${error}`],
    ['a place in the code', `E1120 10:00:00.000000 1 main.py:31] ${error}`],
    ['the name of a thread', `2026-11-20 10:00:00.123 ERROR (MainThread) [app] ${error}`],
    ['a time right after what is in brackets', `ERROR[web]10:00:00 ${error}`],
    ['the name of one of several programs', `[web] ${error}`],
    ['structlog', JSON.stringify({ level: 'error', event: error })],
  ])('is left out: %s', (_, log) => {
    expect(explainLog(`start\n${log}\nexited with code 1\n`)).toMatchObject({
      cause: 'module-missing',
      evidence: { line: 2, text: error },
    });
  });
});

describe('a traceback', () => {
  const file = '/app/flux.py';
  const error = traceback("KeyError: 'flux'", file);

  test.each([
    ['of one of several programs', error.replace(/^/gm, '[web] ')],
    [
      'without indentation, with marks below a part of its code',
      error.replace('work()', 'work()\n~~~~^^').replace(/^ +/gm, ''),
    ],
    [
      'with the exception above, as Streamlit prints it',
      `KeyError: 'flux'\nTraceback:\n${error.replace(/^.*\n|\n.*$/g, '')}`,
    ],
  ])('is read: %s', (_, log) => {
    expect(explainLog(`start\n${log}\n`)).toMatchObject({
      cause: 'code-error',
      title: "the code of the app raised KeyError: 'flux'",
      fix: expect.stringContaining('flux.py:2'),
    });
  });

  test.each([
    ['app.py', 'syntax-error'],
    ['.venv/lib/python3.13/site-packages/environ.py', 'python-version-unsupported'],
  ])('of a file that Python cannot read names that one, whatever is printed between: %s', (unread, cause) => {
    const log = `  File "/app/${unread}", line 11\n    raise ValueError, "no"\n                    ^\n  File "/usr/lib/python3.13/importlib/__init__.py", line 88, in import_module\n    return load(name)\nSyntaxError: invalid syntax\n`;
    for (const shown of [log, log.replace(/^ +/gm, '')]) expect(explainLog(shown)).toMatchObject({ cause });
  });

  test('is read: of a panic that a server of Go caught', () => {
    const log =
      '2026/01/01 10:00:00 http: panic serving 10.0.0.1:3: runtime error: index out of range [5] with length 3';
    expect(explainLog(`${log}\ngoroutine 7 [running]:\nmain.load()\n\t/src/main.go:12 +0x4c\n`)?.fix).toMatch(
      /^correct main\.go:12: /,
    );
  });
});

describe('what was handled', () => {
  const missing = traceback("ModuleNotFoundError: No module named 'flash_attn'");

  test.each([
    ['a logged exception', `WARNING app no flash_attn\n${missing}\nINFO app goes on\n`],
    ['an earlier exception, after which work went on', `${missing}\nINFO app goes on\n`],
  ])('is not the cause: %s', (_, before) => {
    expect(explainLog(`${before}${traceback('ValueError: dimension 384')}\n`)).toMatchObject({
      title: 'the code of the app raised ValueError: dimension 384',
      fix: expect.stringContaining('main.py:2'),
    });
  });

  test('another service is not the cause', () => {
    const log = "db-1  | ModuleNotFoundError: No module named 'yaml'\nweb-1  | stop\nweb-1 exited with code 1\n";
    expect(explainLog(log)).toBeUndefined();
  });

  test.each([
    ['a service that says DONE', "web-1  | DONE loading\nweb-1  | ModuleNotFoundError: No module named 'yaml'\n"],
    ['a step that says DONE in between', "#5 0.1 loading DONE\n#5 0.2 ModuleNotFoundError: No module named 'yaml'\n"],
  ])('is not all of %s', (_, log) => {
    expect(explainLog(log)).toMatchObject({ cause: 'module-missing' });
  });
});

describe('a module that is missing', () => {
  test.each([
    ["'utils.text'; 'utils' is not a package", '/app/main.py'],
    ["'shop'", '/app/src/shop/server.py'],
    ["'shop.db'", '/app/main.py'],
    ["'acme_models'", '/app/main.py'],
    ["'_ctypes'", '/app/main.py'],
  ])('of the app or of Python is no package: %s', (module, file) => {
    const found = explainLog(`${traceback(`ModuleNotFoundError: No module named ${module}`, file)}\n`);
    expect(found?.fix).not.toContain('= "latest"');
  });

  test.each(
    Object.entries({
      '/usr/bin/python3: No module named app.server': 'entrypoint-not-found',
      "/usr/bin/python3: Error while finding module specification for 'jobs.run' (ModuleNotFoundError: No module named 'jobs')":
        'entrypoint-not-found',
      "Error: class uri 'uvicorn.worker.UvicornWorker' invalid or not found:\n\nModuleNotFoundError: No module named 'uvicorn.worker'":
        'worker-class-wrong',
    }),
  )('of a command is no package: %s', (log, cause) => {
    const found = explainLog(`${log}\n`);
    expect(found).toMatchObject({ cause });
    expect(found?.fix).not.toContain('= "latest"');
  });

  test.each([['/app/main.py', 'cv2', 'opencv-python-headless']])(
    'is a package if it is known, or a package imports it: %s',
    (file, module, name) => {
      const log = `${traceback(`ModuleNotFoundError: No module named '${module}'`, file)}\n`;
      expect(explainLog(log)?.fix).toContain(`${name} = "latest"`);
    },
  );
});

test.each([
  [
    'a log that is indented as a whole',
    "    start\n    ModuleNotFoundError: No module named 'PIL'\n",
    'module-missing',
  ],
  [
    'a log that is quoted as a whole',
    traceback("NameError: name 'a' is not defined\n").replace(/^/gm, '> '),
    'code-error',
  ],
  [
    'a message that uv wraps',
    '  × No solution found:\n  ╰─▶ Because the current Python version (3.10.1) does not\n      satisfy Python>=3.12 and\n      web==1 depends on it\n',
    'python-version-unsupported',
  ],
  ['a crash before a restart', 'Segmentation fault (core dumped)\nINFO: ready\n', 'segfault'],
])('%s is read', (_, log, cause) => {
  expect(explainLog(log)?.cause).toBe(cause);
});

test('what Python reports while it cleans up is not the cause', () => {
  const ignored = 'Exception ignored in: <function A.__del__ at 0x7f1c>\nRuntimeError: Event loop is closed\n';
  expect(explainLog(`${traceback('ValueError: dimension 384')}\n${ignored}`)?.title).toMatch(/dimension 384$/);
});

describe('advice names packages that exist', () => {
  test.each([
    ['sh: 1: pdftoppm: not found', 'poppler-utils = "latest"'],
    ['sh: 1: torchrun: not found', 'add torch to'],
    ['sh: 1: docker: not found', 'the package that has docker'],
    ['ImportError: A requires the PyTorch library but it was not found in your environment.', 'torch = "latest"'],
    ['ImportError: A requires the SentencePiece library but it was not found in your environment.', 'SentencePiece ='],
    ["FileNotFoundError: [Errno 2] No such file or directory: 'ffmpeg'", 'ffmpeg = "latest"'],
  ])('%s', (log, said) => {
    expect(explainLog(`${log}\n`)?.fix).toContain(said);
  });

  test('and none for a library that the index may not have', () => {
    const log = 'ImportError: A requires the Nonesuchlib library but it was not found in your environment.\n';
    expect(explainLog(log)).toMatchObject({ cause: 'code-error', fix: expect.not.stringContaining('pip') });
  });
});

test('an unknown failure is shown by lines that are not too long', () => {
  const { log } = describeUnknown('x'.repeat(5000));
  expect(Math.max(...log.map((line) => line.length))).toBeLessThan(500);
});
