import { expect, test } from 'vitest';
import { describeUnknown, explainLog } from '../../src/causes/index.ts';

const packages = '/usr/local/lib/python3.11/site-packages';

function traceback(exception: string, ...frames: [file: string, code: string][]): string {
  const shown = frames.map(([file, code]) => `  File "${file}", line 7, in <module>\n    ${code}\n`).join('');
  return `Traceback (most recent call last):\n${shown}${exception}\n`;
}

/** Errors that no rule knows, and what they say by themselves. */
test.each([
  [
    'the advice of an exception',
    traceback('RuntimeError: fluxlib is version 0.4, but this flux requires version >= 0.6.', [
      '/app/main.py',
      'run()',
    ]),
    'fix-in-message',
    'this flux requires version >= 0.6.',
  ],
  [
    'the advice of the lines after it',
    `${traceback('ValueError: No flux capacitor was found from:', ['/app/main.py', 'run()'])}(1) a file\n(2) a network\nYou need to have fluxpiece installed to make one.\n`,
    'fix-in-message',
    'You need to have fluxpiece installed to make one.',
  ],
  [
    'the advice of a tool',
    'Error: Database is not initialized.\n       You must specify FLUX_SECRET to a non-empty value.\nweb-1 exited with code 1\n',
    'fix-in-message',
    'You must specify FLUX_SECRET to a non-empty value.',
  ],
  [
    'a mistake of the app',
    traceback("NameError: name 'flux' is not defined", ['/app/main.py', 'flux()']),
    'code-error',
    'correct main.py:7',
  ],
  [
    'what the app raises itself',
    traceback('RuntimeError: the flux is gone', ['/app/main.py', 'raise RuntimeError(f"the {name} is gone")']),
    'code-error',
    'look for its reason at main.py:7 (raise RuntimeError(f"the {name} is gone"))',
  ],
  [
    'what the app raises itself, in a line with its condition',
    traceback('ValueError: no flux', ['/app/main.py', 'if not flux: raise ValueError("no flux")']),
    'code-error',
    'look for its reason at main.py:7 (if not flux: raise ValueError("no flux"))',
  ],
  [
    'a mistake of types',
    traceback("TypeError: unsupported operand type(s) for +: 'int' and 'str'", ['/app/main.py', 'flux()']),
    'code-error',
    'correct main.py:7 (flux()): a text is taken for a number; an argument is passed as one by name:=3',
  ],
  [
    'a message in the line after its exception, above what kubectl describes',
    `${traceback('ValueError: ', ['/app/main.py', 'run()'])}A fluxs:// URL must have parameter coils and this must be set to 3\n$ kubectl describe pod flux\n    State:          Waiting\n      Reason:       Error\n`,
    'fix-in-message',
    'A fluxs:// URL must have parameter coils',
  ],
  [
    'a package that fails while it is imported',
    traceback(
      'TypeError: metaclass conflict',
      ['/app/main.py', 'import chromadb'],
      [`${packages}/chromadb/api.py`, 'class A(B):'],
    ),
    'package-import-failed',
    'update chromadb',
  ],
])('%s', (_, log, cause, fix) => {
  expect(explainLog(log)).toMatchObject({ cause, fix: expect.stringContaining(fix) });
});

/** Errors that nothing caught, in other languages than Python. */
test.each([
  [
    "TypeError: Cannot read properties of undefined (reading 'map')\n    at load (/app/dist/server.js:14:19)\n    at Module._compile (node:internal/modules/cjs/loader:1376:14)\n",
    'dist/server.js:14',
  ],
  [
    'panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1]\ngoroutine 1 [running]:\nmain.load(0x0)\n\t/app/server.go:42 +0x1d\n',
    'server.go:42',
  ],
  [
    'Exception in thread "main" java.lang.IllegalStateException: boot failed\n\tat com.shop.App.main(App.java:10)\nCaused by: java.lang.NullPointerException: flux is null\n\tat com.shop.Config.read(Config.java:33)\n',
    'Config.java:33',
  ],
  ["thread 'main' panicked at src/main.rs:12:30:\ncalled `Option::unwrap()` on a `None` value\n", 'src/main.rs:12'],
  [
    "/app/config/shop.rb:4:in `load': undefined method `fetch' for nil:NilClass (NoMethodError)\n\tfrom /usr/local/bundle/gems/rails/engine.rb:12:in `load'\n",
    'config/shop.rb:4',
  ],
  ['PHP Fatal error:  Uncaught Error: Call to undefined method Order::total() in /app/index.php:12\n', 'index.php:12'],
  [
    'Unhandled exception. System.NullReferenceException: no object\n   at Shop.Main() in /src/Program.cs:line 21\nAborted (core dumped)\n',
    'Program.cs:21',
  ],
])('a mistake of the app is named with its line: %s', (log, place) => {
  expect(explainLog(`listening on http://localhost:3000\n${log}`)).toMatchObject({
    cause: 'code-error',
    fix: `correct ${place}`,
  });
});

test('an error of another language that no rule knows is shown with its place', () => {
  const log =
    'Error: flux is off\n    at check (/app/node_modules/flux/index.js:4:1)\n    at start (/app/index.js:3:1)\n';
  expect(explainLog(log)).toBeUndefined();
  expect(describeUnknown(log).title).toBe('the app raised Error: flux is off at index.js:3');
});

test.each([
  ['no advice', traceback('RuntimeError: the flux is misaligned', ['/app/main.py', 'run()'])],
  ['advice about reports', traceback('RuntimeError: flux. Please report a bug.', ['/app/main.py', 'run()'])],
  [
    'what a warning advises',
    'FutureWarning: flux is old. Please upgrade to version 7 or higher.\nexited with code 1\n',
  ],
  ['a package that fails after its import', traceback('TypeError: bad flux', [`${packages}/flux/api.py`, 'run()'])],
  ['advice long before the end', `Error: no flux. Please install flux.\n${'request handled\n'.repeat(60)}`],
])('nothing is named for %s', (_, log) => {
  expect(explainLog(log)).toBeUndefined();
});

test('a rule knows more than the message', () => {
  const log = traceback('ImportError: Using `device_map` requires Accelerate: `pip install accelerate`', [
    `${packages}/transformers/modeling_utils.py`,
    'check()',
  ]);
  expect(explainLog(log)?.cause).toBe('module-missing');
});

test('a warning above an exception is not its cause', () => {
  const log = `WARNING: No supported WebSocket library detected, install 'websockets' or 'wsproto' manually.\n${traceback('RuntimeError: the flux is misaligned', ['/app/main.py', 'run()'])}`;
  expect(explainLog(log)).toBeUndefined();
});

test.each([
  'curl: (7) Failed to connect to db port 5432: Connection refused\ndb is up\n',
  'INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)\n',
])('what the work went on after is not the cause of a later exception: %s', (log) => {
  expect(explainLog(log)).toBeDefined();
  expect(
    explainLog(`${log}${traceback('RuntimeError: the flux is misaligned', ['/app/main.py', 'run()'])}`),
  ).toBeUndefined();
});

test('of tracebacks, the last that does not point to another is shown', () => {
  const first = traceback('AssertionError: the flux kernel differs', ['/app/engine.py', 'start()']);
  const second = traceback('RuntimeError: Engine failed. See root cause above.', ['/app/main.py', 'run()']);
  expect(describeUnknown(`${first}${second}`).title).toContain('the flux kernel differs');
});
