import { expect, test } from 'vitest';
import { describeUnknown, explainLog } from '../../src/causes/index.ts';

const packages = '/usr/local/lib/python3.11/site-packages';

function traceback(exception: string, ...frames: [file: string, code: string][]): string {
  const shown = frames.map(([file, code]) => `  File "${file}", line 7, in <module>\n    ${code}\n`).join('');
  return `Traceback (most recent call last):\n${shown}${exception}\n`;
}

const ended = 'ERROR: its process ended with exit code 1\n';

/** Mistakes of the app that no rule knows. */
test.each([
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
  ...['raise SystemExit(3)', 'sys.exit(3)', 'if bad: os._exit(3)'].map((code): [string, string, string, string] => [
    `how the app ends itself: ${code}`,
    traceback('SystemExit: 3', ['/app/main.py', code]),
    'code-error',
    `look for its reason at main.py:7 (${code}): return, or raise an error that says why`,
  ]),
  [
    'what a package refuses by the name of its exception alone',
    traceback(
      'beanie.exceptions.CollectionWasNotInitialized',
      ['/app/main.py', 'Recipe()'],
      [`${packages}/beanie/odm.py`, 'raise CollectionWasNotInitialized'],
    ),
    'code-error',
    'do what the message says, or change what main.py:7 (Recipe()) gives to beanie',
  ],
  [
    'settings that a program refuses by means of pydantic',
    traceback(
      'pydantic_core.ValidationError: 1 validation error for VllmConfig\nscale_dtype\n  Extra inputs are not permitted [type=extra_forbidden, input_value=None]',
      [`${packages}/vllm/arg_utils.py`, 'config = VllmConfig('],
      [`${packages}/pydantic/_dataclasses.py`, 'validate(self)'],
    ),
    'code-error',
    'do what the message says, in the settings or the flags of the program, or in the files that vllm reads',
  ],
  [
    'what a package looks for in a class of another one, while it is imported',
    traceback(
      "AttributeError: type object 'EspeakWrapper' has no attribute 'set_data_path'",
      ['/app/main.py', 'from kokoro import KPipeline'],
      [`${packages}/misaki/espeak.py`, 'EspeakWrapper.set_data_path(path)'],
    ),
    'package-api-changed',
    'use another version of misaki',
  ],
  [
    'what the app reads of a setting that is not there',
    traceback("AttributeError: 'NoneType' object has no attribute 'get'", [
      '/app/main.py',
      "conf.get('HELP_URL').get('docker', '')",
    ]),
    'code-error',
    "look for its reason at main.py:7 (conf.get('HELP_URL').get('docker', '')): a value there is None",
  ],
  [
    'what fails in another package, while a package is imported',
    traceback(
      'AttributeError: _identifiers references an un-annotated attr name',
      ['/app/main.py', 'import nautobot_flux'],
      [`${packages}/nautobot_flux/models.py`, 'class Flux(Model):'],
      [`${packages}/diffsync/__init__.py`, 'raise AttributeError(text)'],
    ).replace(/<module>(?=\n {4}raise)/, '__new__'),
    'package-api-changed',
    'use versions of nautobot_flux and diffsync that were made for each other',
  ],
  [
    'what a program raises about what it was given',
    traceback('flux.exc.CompileError: column id has a bad type', [`${packages}/flux/db.py`, 'raise exc.CompileError(']),
    'code-error',
    'in the files that flux reads: compare the types and names of the statement with the tables of the database',
  ],
  [
    'what a package raises as a mistake of who calls it',
    traceback(
      'TypeError: flux takes a list of vectors',
      ['/app/main.py', 'flux(3)'],
      [`${packages}/flux/db.py`, 'raise TypeError('],
    ),
    'code-error',
    'do what the message says, or change what main.py:7 (flux(3)) gives to flux',
  ],
  [
    'a mistake whose module was taken for a tag of HTML',
    '  File "/app/app.py", line 5, in\n    run(flux)\nNameError: name \'flux\' is not defined\n',
    'code-error',
    'correct app.py:5 (run(flux))',
  ],
  [
    'what the app reads of an object that a package keeps',
    traceback(
      "AttributeError: 'Head' object has no attribute 'hw'",
      ['/app/head.py', 'zip(self.hw)'],
      [`${packages}/torch/nn/modules/module.py`, 'raise AttributeError(name)'],
    ).replace(/<module>(?=\n {4}raise)/, '__getattr__'),
    'code-error',
    'correct head.py:7 (zip(self.hw))',
  ],
  [
    'how the app ends itself by what Python has for a terminal',
    traceback('SystemExit: None', ['/app/main.py', 'exit()'], ['<frozen _sitebuiltins>', '']),
    'code-error',
    'look for its reason at main.py:7 (exit())',
  ],
  [
    'a mistake that ends a server while it is imported',
    `${traceback("KeyError: 'x'", [`${packages}/uvicorn/importer.py`, 'import_module(module)'], ['model.py', 'sizes[name]'])}${ended}`,
    'code-error',
    'correct model.py:7 (sizes[name]): look whether the key is there',
  ],
  [
    'an error that ends a server, below what its lifespan and its master say of it',
    `${traceback("ValueError: invalid literal for int() with base 10: 'a'", ['main.py', 'int(size)'])}ERROR:    Application startup failed. Exiting.\n[5784] [ERROR] Reason: Worker failed to boot.\n${ended}`,
    'code-error',
    'look for its reason at main.py:7 (int(size))',
  ],
  [
    'an error that a package raises for an app, and that ends its server',
    `${traceback('Nope', ['main.py', 'flux.connect()'], [`${packages}/flux/net.py`, 'raise Nope']).replace('Nope\n', 'flux.Nope: shut\n')}${ended}`,
    'code-error',
    'do what the message says, or change what main.py:7 (flux.connect()) gives to flux',
  ],
  [
    'a server that goes on after an error, and ends later',
    `${traceback("KeyError: 'x'", ['main.py', 'sizes[name]'])}INFO: 10.0.0.1:1 - "GET / HTTP/1.1" 200 OK\n${ended}`,
    'app-exited',
    'correct what the last line says',
  ],
  ['a server that ends without a traceback', `no flux here\n${ended}`, 'app-exited', 'correct what the last line says'],
])('%s', (_, log, cause, fix) => {
  expect(explainLog(log)).toMatchObject({ cause, fix: expect.stringContaining(fix) });
});

/** Errors that nothing caught, in other languages than Python. */
test.each(
  Object.entries({
    "TypeError: Cannot read properties of undefined (reading 'map')\n    at load (/app/dist/server.js:14:19)\n    at Module._compile (node:internal/modules/cjs/loader:1376:14)\n":
      'dist/server.js:14',
    'panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1]\ngoroutine 1 [running]:\nmain.load(0x0)\n\t/app/server.go:42 +0x1d\n':
      'server.go:42',
    'Exception in thread "main" java.lang.IllegalStateException: boot failed\n\tat com.shop.App.main(App.java:10)\nCaused by: java.lang.NullPointerException: flux is null\n\tat com.shop.Config.read(Config.java:33)\n':
      'Config.java:33',
    "thread 'main' panicked at src/main.rs:12:30:\ncalled `Option::unwrap()` on a `None` value\n": 'src/main.rs:12',
    "/app/config/shop.rb:4:in `load': undefined method `fetch' for nil:NilClass (NoMethodError)\n\tfrom /usr/local/bundle/gems/rails/engine.rb:12:in `load'\n":
      'config/shop.rb:4',
    'PHP Fatal error:  Uncaught Error: Call to undefined method Order::total() in /app/index.php:12\n': 'index.php:12',
    'Unhandled exception. System.NullReferenceException: no object\n   at Shop.Main() in /src/Program.cs:line 21\nAborted (core dumped)\n':
      'Program.cs:21',
  }),
)('a mistake of the app is named with its line: %s', (log, place) => {
  expect(explainLog(`listening on http://localhost:3000\n${log}`)).toMatchObject({
    cause: 'code-error',
    fix: expect.stringContaining(`correct ${place}`),
  });
});

/** What else surely ended a program, as its language prints it. */
test.each(
  Object.entries({
    "ActiveRecord::FluxInvalid: no flux\n/usr/local/bundle/gems/activerecord-6.1.6/lib/a.rb:80:in `save'\n/app/db/seeds.rb:4:in `<main>'\n":
      /^activerecord raised ActiveRecord::FluxInvalid: no flux; .* db\/seeds\.rb:4 gives to activerecord$/,
    "terminate called after throwing an instance of 'std::runtime_error'\n  what():  no flux\nAborted (core dumped)\n":
      /^the app raised no flux; /,
    "thread 'main' panicked at 'called `Result::unwrap()` on an `Err` value: NoFlux', src/main.rs:12:30\n":
      /; look for its reason at src\/main\.rs:12: .*has failed/,
    '(node:12) UnhandledPromiseRejectionWarning: Error: no flux\n    at load (/app/src/flux.js:4:9)\n':
      /^the code of the app raised Error: no flux; look for its reason at src\/flux\.js:4$/,
    'error: Uncaught (in promise) Error: no flux\n    at file:///app/main.ts:3:9\n': / at main\.ts:3$/,
    'Error: cannot start\n    at start (/app/src/a.js:4:9) {\n  [cause]: FluxError: no flux\n      at load (/app/src/flux.js:1:1)\n':
      /^the code of the app raised Error: cannot start; FluxError: no flux; look for its reason at src\/a\.js:4$/,
    [`org.flux.FluxException: Error creating bean ${'x'.repeat(240)}; nested exception is java.io.FluxException: no flux\n`]:
      /^the app raised org\.flux\.FluxException: .{1,100}…; java\.io\.FluxException: no flux; /,
    'TypeError: no flux\n    at Object.<anonymous> (/app/node_modules/flux/a.js:3:9)\n    at Module._compile (internal/modules/cjs/loader.js:999:30)\n    at startup (bootstrap_node.js:187:16)\n':
      /^flux raised TypeError: no flux; .*the files that flux reads$/,
    '** (FluxError) no flux\n    (shop 0.1.0) lib/shop.ex:31: Shop.start/2\n':
      /^.* raised FluxError: no flux; .*lib\/shop\.ex:31$/,
    'Unhandled Exception: System.FluxException: no flux\n   at Flux.Core.Logger.Finalize()\n':
      /; look for its reason at Flux\.Core\.Logger\.Finalize\(\)$/,
    'java.lang.FluxException: off\n\tat java.util.Flux.run(Flux.java:3)\n\tat org.springframework.Flux.go(Flux.java:5)\n':
      /^springframework raised java\.lang\.FluxException: off; /,
  }),
)('an error is named in the words of its language: %s', (log, said) => {
  const { title, fix } = explainLog(log) ?? {};
  expect(`${title}; ${fix}`).toMatch(said);
});

test('an error of a package in another language is its word on what the app gave it', () => {
  const log =
    'Error: flux is off\n    at check (/app/node_modules/@acme/flux/index.js:4:1)\n    at start (/app/index.js:3:1)\n';
  expect(explainLog(log)).toMatchObject({
    title: '@acme/flux raised Error: flux is off',
    fix: 'do what the message says, or change what index.js:3 gives to @acme/flux',
  });
});

/** What a package raises is its word on what the app gave it. */
test.each([
  ['ValueError: the flux model has no padding token', 'flux raised ValueError: the flux model has no padding token'],
  ['flux.FluxError: \nthe flux is 3 wide', 'flux raised flux.FluxError: the flux is 3 wide'],
  ['FluxError: a flux enclosed in double walls', 'flux raised FluxError: a flux enclosed in double walls'],
  ["TypeError: can't convert a hot flux. Use flux.cool() first.", 'Use flux.cool() first.'],
])('a package refuses what the app gives it: %s', (exception, title) => {
  const log = traceback(exception, ['/app/main.py', 'flux.run(hot)'], [`${packages}/flux/api.py`, 'run()']);
  expect(explainLog(log)).toMatchObject({
    cause: 'code-error',
    title: expect.stringContaining(title),
    fix: 'do what the message says, or change what main.py:7 (flux.run(hot)) gives to flux',
  });
});

/** What surely ended the work, where only the kind of the error says more. */
test.each([
  ['ConnectionError: the flux broke off', /^look for its reason at main\.py:7 \(flux\.run\(hot\)\): .*does not answer/],
  ['KeyError: 3', /^look for its reason at main\.py:7 \(flux\.run\(hot\)\)$/],
  ['NotImplementedError', /take another option or version/],
])('a package may have failed for other reasons: %s', (exception, fix) => {
  const log = traceback(exception, ['/app/main.py', 'flux.run(hot)'], [`${packages}/flux/api.py`, 'run()']);
  expect(explainLog(log)).toMatchObject({ cause: 'code-error', title: `flux raised ${exception}` });
  expect(explainLog(log)?.fix).toMatch(fix);
});

test.each([
  [
    'an error of the app that is no mistake',
    traceback('RuntimeError: the flux is misaligned', ['/app/main.py', 'run()']),
    'look for its reason at main.py:7 (run())',
  ],
  [
    'an error of a program',
    traceback('KeyError: 4', [`${packages}/flux/api.py`, 'run()']),
    'look for its reason in the settings or the flags of the program, or in the files that flux reads',
  ],
  [
    'a name that a program lacks',
    traceback("NameError: name 'flux' is not defined", [`${packages}/flux/api.py`, 'run()']),
    'use another version of flux, or one of what calls it that fits',
  ],
  [
    'an exception without its traceback',
    'loading\n_pickle.PicklingError: the flux is bound\n',
    'leave out what cannot be saved, and define classes and functions at the top of a module',
  ],
  [
    'an exception above the frames of its traceback',
    'FluxError: the flux is bound\nTraceback (most recent call last):\n  File "/app/main.py", line 3, in go\n    run()\n',
    'look for its reason at main.py:3 (run())',
  ],
])('%s is named with its place', (_, log, fix) => {
  expect(explainLog(log)).toMatchObject({ cause: 'code-error', fix });
});

test.each([
  ['work that goes on', 'ValueError: bad flux\n[INFO] next item\n'],
  ['what only points to another error', 'RuntimeError: Engine failed. See root cause above.\n'],
])('an exception without its traceback is not named above %s', (_, log) => {
  expect(explainLog(log)).toBeUndefined();
});

test.each([
  [
    'dict',
    'a dict, which has none',
    'use another version of flux, or change what main.py:7 (flux.run(hot)) gives to flux',
  ],
  [
    'sqlalchemy.engine.base.Engine',
    'a sqlalchemy',
    'use versions of flux and sqlalchemy that were made for each other',
  ],
])('what a package looks for in an object is of another version: %s', (object, title, fix) => {
  const exception = `AttributeError: '${object}' object has no attribute 'kind_of_flux'`;
  const log = traceback(exception, ['/app/main.py', 'flux.run(hot)'], [`${packages}/flux/api.py`, 'run()']);
  expect(explainLog(log)).toMatchObject({
    cause: 'package-api-changed',
    title: expect.stringContaining(`flux looks for kind_of_flux in ${title}`),
    fix: expect.stringContaining(fix),
  });
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
  expect(explainLog(log)?.cause).toBe('code-error');
});

test.each([
  'curl: (7) Failed to connect to db port 5432: Connection refused\ndb is up\n',
  'INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)\n',
])('what the work went on after is not the cause of a later exception: %s', (log) => {
  expect(explainLog(log)).toBeDefined();
  expect(
    explainLog(`${log}${traceback('RuntimeError: the flux is misaligned', ['/app/main.py', 'run()'])}`)?.cause,
  ).toBe('code-error');
});

test('of tracebacks, the last that does not point to another is shown', () => {
  const first = traceback('AssertionError: the flux kernel differs', ['/app/engine.py', 'start()']);
  const second = traceback('RuntimeError: Engine failed. See root cause above.', ['/app/main.py', 'run()']);
  expect(explainLog(`${first}${second}`)?.title).toContain('the flux kernel differs');
});

test('a mistake that a package raises is not named as one of the app', () => {
  const log =
    "TypeError: Cannot read properties of undefined (reading 'map')\n    at load (/app/node_modules/flux/index.js:14:19)\n    at start (/app/index.js:3:1)\n";
  expect(explainLog(log)).toMatchObject({
    title: expect.stringMatching(/^flux raised TypeError/),
    fix: 'look for its reason at index.js:3',
  });
});

test.each([
  ["error: flux.cu(5): error: identifier 'flux' is undefined", /building it fails: error: flux\.cu/],
  ['Used 255 registers', /building it fails, and no rule knows why$/],
])('of a package that is not built, what its build says last is said: %s', (line, title) => {
  const log = `      ${line}\n  ERROR: Failed building wheel for fluxpkg\n`;
  expect(explainLog(log)).toMatchObject({ cause: 'package-build-failed', title: expect.stringMatching(title) });
});

test('who is killed right below an exception has not run out of memory', () => {
  const raised = traceback('AssertionError', [`${packages}/flux/api.py`, 'assert is_cool()']);
  expect(explainLog(`${raised}CRITICAL fatal signal from a worker\nKilled\n`)?.cause).toBe('code-error');
  expect(explainLog('loading the flux\nKilled\n')?.cause).toBe('out-of-memory');
});

test('a cause that is said as a warning is not passed by the exception that follows from it', () => {
  const warned = '[0] NCCL WARN Error while creating shared memory segment /dev/shm/nccl-x (size 9637888)\n';
  const raised = traceback('RuntimeError: NCCL error: unhandled system error', [`${packages}/flux/nccl.py`, 'raise']);
  expect(explainLog(`${warned}${raised}`)?.cause).toBe('shared-memory-full');
});

test('a build has no GPU, whatever the replica has', () => {
  const raised = traceback('RuntimeError: Found no NVIDIA driver on your system.', [
    `${packages}/torch/cuda.py`,
    'f()',
  ]);
  expect(explainLog(`Step 3/4 : RUN python export.py\n${raised}`)?.title).toContain('a build has none');
  expect(explainLog(raised)?.setting).toBe('hardware.compute');
});

test('a server whose process died has failed, whatever it answered', () => {
  const log = '"GET /flux HTTP/1.1" 200\nWorkerThread - Backend worker process died.\n"GET /flux HTTP/1.1" 200\n';
  expect(describeUnknown(log).cause).toBe('unknown');
});

test('an app that starts all the same has handled what was raised before', () => {
  const raised = traceback(
    'FluxError: the flux is too hot',
    ['/app/main.py', 'warm()'],
    [`${packages}/flux/a.py`, 'f()'],
  );
  expect(explainLog(raised)?.cause).toBe('code-error');
  expect(explainLog(`${raised}INFO going on without\nINFO:     Application startup complete.\n`)).toBeUndefined();
});

test.each([
  ['', 'the program ended with exit code 3'],
  ['loading\nno data\n', 'the program ended with exit code 3; the last line is: no data'],
  ['Error: no data\ngoing home\n', 'the program ended with exit code 3; the last line is: Error: no data'],
])('a program that ends itself after %j says how, not what a call returned', (log, title) => {
  expect(describeUnknown(log, { status: 'failed', statusCode: 500, exitCode: 3 })).toMatchObject({ title });
});

test('an end of the program by itself is not the cause where another exception is', () => {
  const log =
    traceback('KeyError: 1', ['/app/main.py', '{}[1]']) + traceback('SystemExit: 3', ['/app/main.py', 'exit(3)']);
  expect(explainLog(log)).toMatchObject({ title: 'the code of the app raised KeyError: 1' });
});
