import { describe, expect, test } from 'vitest';
import { describeUnknown, explainLog } from '../../src/causes/index.ts';

/** What is said about a log: the cause, the title and the fix, or that nothing is known. */
function said(log: string): string {
  const { cause, title, fix = '' } = { fix: '', ...(explainLog(log) ?? describeUnknown(log)) };
  return `${cause}: ${title}; ${fix}`;
}

const notCopied =
  '#20 [stage-1 3/4] COPY --from=builder /build/app /app\n' +
  'ERROR: failed to solve: failed to calculate checksum of ref 8m::z1q: "/build/app": not found\n';
const refused = 'curl: (7) Failed to connect to 127.0.0.1 port 8081 after 0 ms: Connection refused\n';
const serves = 'INFO:     Application startup complete.\nINFO:     10.0.0.1:1 - "GET /health HTTP/1.1" 200 OK\n';
const probed =
  'Liveness probe failed: Get "http://10.0.0.1:80/health": context deadline exceeded (Client.Timeout exceeded)\n';

describe('what follows from many failures', () => {
  test.each([
    [
      'a file that no step made, of which one failed and hid it',
      `#18 3.0 error: failed to parse the flux of the project\n#18 DONE 3.2s\n${notCopied}`,
      /^unknown: .*the flux of the project/,
    ],
    ['a file that no step made', `#18 DONE 3.2s\n${notCopied}`, /^copy-source-missing: .*stage.*copies it from/],
    ['a server that ended at once', `${refused}${refused}api Exited (1) 58 seconds ago\n`, /^unknown/],
    ['a server that does not listen', refused, /^not-listening/],
    ['an unknown error before the check fails', `flux: fatal error 7\n${refused}`, /^unknown: .*flux: fatal error 7/],
    [
      'a command that said nothing',
      '=> ERROR [2/2] RUN npm ci\n142.2 npm error Exit handler never called!\n142.2 npm error   <https://github.com/npm/cli/issues>\n' +
        'ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1\n',
      /^command-failed: .*exit code 1: npm ci;/,
    ],
  ])('is no cause beside another one: %s', (_, log, answer) => {
    expect(said(log)).toMatch(answer);
  });
});

describe('that nothing failed', () => {
  test.each([
    [
      'the check got no answer for a while',
      `${serves}${probed}${probed}${serves}job 5 succeeded\n`,
      /^health-check-failed: .*blocks/,
    ],
    [
      'a request failed',
      'TypeError: flux\nGET /users/4 500 in 30.2s\n GET /login 200 in 61ms\n',
      /^code-error: .*TypeError: flux/,
    ],
    [
      'what scanners send is refused',
      `2026-08-15 05:25:24,843::WARNING::[httptools_impl:177] Invalid HTTP request received.\n${'Traceback (most recent call last):\n  File "httptools/parser/parser.pyx", line 212, in feed\nhttptools.parser.errors.HttpParserInvalidMethodError: Invalid method\n'}2026-08-15 05:25:31,092::INFO::[queue:88] 2 jobs active\n`,
      /^(?:null|unknown: no known cause matches;)/,
    ],
  ])('is said only where all is well in the end: %s', (_, log, answer) => {
    expect(said(log)).toMatch(answer);
  });
});

test('an exception group is read as the tracebacks that it has', () => {
  const log =
    '  + Exception Group Traceback (most recent call last):\n  | ExceptionGroup: unhandled errors (1 sub-exception)\n' +
    '  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File "/app/main.py", line 4, in page\n' +
    "    |     return rows['flux']\n    | KeyError: 'flux'\n    +------------------------------------\n" +
    'INFO:     10.0.3.7:40126 - "GET /health HTTP/1.1" 200 OK\nINFO:     10.0.3.7:1 - "GET / HTTP/1.1" 500\n';
  expect(said(log)).toMatch(/^code-error: the code of the app raised KeyError: 'flux'.*main\.py:4/);
});

test('a warning is no cause where a program is killed after it', () => {
  const log =
    'UserWarning: CUDA initialization: Found no NVIDIA driver on your system.\n/run.sh: line 9:    17 Killed  python a.py\n';
  expect(said(log)).toMatch(/^out-of-memory/);
});

test('the value of a variable that names nothing is no variable', () => {
  const log =
    'Traceback (most recent call last):\n  File "/app/main.py", line 9, in <module>\n    R = REGIONS[os.environ["REGION"]]\nKeyError: \'eu-9\'\n';
  expect(said(log)).toMatch(/^code-error/);
});

const imports = (from: string, line: string, error: string) =>
  `  File "/venv/lib/python3.12/site-packages/${from}/a.py", line 1, in <module>\n    ${line}\n${error}\n`;

test.each([
  [
    'by name, with the package that asks',
    imports(
      'torchao',
      'from torch.nn.functional import Flux',
      "ImportError: cannot import name 'Flux' from 'torch.nn.functional'",
    ),
    /torchao, which takes it from there, is made for another version of torch/,
  ],
  [
    'of an old Python',
    imports('flask', 'from itsdangerous import json', "ImportError: cannot import name 'json'"),
    /itsdangerous = "<2\.1"/,
  ],
])('a name that a package does not have is told: %s', (_, log, answer) => {
  expect(said(log)).toMatch(answer);
});

test('a program that is a package is told what its message asks for', () => {
  const log = `Traceback (most recent call last):\n${imports('sglang', 'raise ValueError(x)', 'ValueError: the flux token must encode to one token.')}`;
  expect(said(log)).toMatch(/^code-error: sglang raised ValueError: the flux token.*the flags of the program/);
});

test('half of a progress bar is no good end', () => {
  expect(said('Loading safetensors checkpoint shards:  50% Completed | 2/4\n')).toMatch(/^unknown/);
});

test.each([
  ['a folder that is there', "mkdir: cannot create directory '/data': File exists"],
  ['a command that is not needed', '/bin/sh: 1: nvidia-smi: not found'],
  ['a default', 'level=warning msg="The "API_SECRET" variable is not set. Defaulting to a blank string."'],
  ['what is told to others', 'Error sending telemetry: connect ECONNREFUSED 10.0.0.9:4318'],
])('what a log goes on after is no cause of the exception that it ends with: %s', (_, line) => {
  const log = `${line}\nload\nload more\nstart\nTraceback (most recent call last):\n  File "/app/flux.py", line 9, in go\n    raise FluxError("it")\nflux.FluxError: it\n`;
  expect(said(log)).toMatch(/^code-error: the code of the app raised flux\.FluxError/);
});

test('what the platform says of a build is its cause, unless the app says more', () => {
  const facts = { source: 'build', status: 'init_failure', reason: 'nothing listens on port 8000' } as const;
  expect(explainLog('ERROR: flux\n', facts)?.cause).toBe('not-listening');
  const raised =
    'Traceback (most recent call last):\n  File "/app/main.py", line 9, in go\n    a = b["c"]\nKeyError: \'c\'\n';
  expect(explainLog(raised, facts)?.cause).toBe('code-error');
});

test.each([
  [
    'its first error',
    'flux.c:4:2: error: no flux\nflux.c:9:2: error: no end\nmake: *** [flux.o] Error 1\n',
    /: flux\.c:4:2: error: no flux; correct/,
  ],
  [
    'the place that it raised it at',
    'Error: no flux\n    at go (/app/b.js:4:9)\nERROR: "pack" exited with 1.\n',
    /: pack: Error: no flux; look for its reason at b\.js:4$/,
  ],
  [
    'the target that failed',
    'make[2]: *** [flux.o] Error 1\nmake[1]: *** [all] Error 2\nmake: *** [all] Error 2\n',
    /: make: make\[2\]: \*\*\* \[flux\.o\] Error 1; /,
  ],
  [
    'the script of npm that failed',
    'npm error code 3\nnpm error command sh -c flux\nERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 3\n',
    /: npm ci: npm error command sh -c flux; /,
  ],
])('of a failed step of a build, %s is said', (_, log, answer) => {
  expect(said(log)).toMatch(/^command-failed: /);
  expect(said(log)).toMatch(answer);
});

const migrated = 'api-1  | CommandError: Conflicting migrations detected; multiple leaf nodes in the graph\n';
const unhealthy = 'dependency failed to start: container shop-api-1 is unhealthy\n';

test.each([
  [
    'what its own log says, which others wait for',
    `${migrated}api-1 exited with code 1\n${unhealthy}`,
    /^database-schema/,
  ],
  ['what it raised', `api-1  | flux error: bad kind\n${unhealthy}`, /^unknown: .*flux error: bad kind/],
  ['nothing else', ` Container shop-db-1  Waiting\n${unhealthy}`, /^health-check-failed: .*shop-api-1/],
])('that a service is unhealthy explains what waits for it, beside %s', (_, log, answer) => {
  expect(said(log)).toMatch(answer);
});

test.each([
  ["$ docker inspect -f '{{.State.OOMKilled}} {{.State.ExitCode}}' 7b60"],
  ['user@host:~/app$ grep -rn "CUDA out of memory. Tried to allocate 2 GiB" logs'],
  ['root@host:/# dmesg | grep "Out of memory: Killed process"'],
  ['PS C:\\app> docker logs web | findstr "No space left on device"'],
])('a command that somebody typed shows nothing: %s', (command) => {
  expect(said(`${command}\n139\nbye\n`)).toMatch(/^unknown: no known cause matches;/);
});

test.each([
  ['CUDA SETUP: Loading binary /packages/bitsandbytes/libbitsandbytes_cuda118.so...'],
  ['INFO 10-02 11:00:01 config.py:350] torch.bfloat16 is not supported for quantization method gptq. Casting.'],
])('what is only told is no cause where a program is killed after it: %s', (told) => {
  expect(said(`${told}\nLoading checkpoint shards:  52%\nKilled\n`)).toMatch(/^out-of-memory/);
});

test('what a logger takes for no problem is no cause beside another line', () => {
  const told =
    'INFO 10-02 11:00:01 config.py:350] torch.bfloat16 is not supported for quantization method gptq. Casting.\n';
  expect(said(`${told}ConnectionRefusedError: [Errno 111] Connection refused\n`)).toMatch(/^network-failed/);
});

test('what a logger takes for no problem is no cause right above an exception', () => {
  const told = 'INFO: no CUDA-capable device is detected, using the CPU\n';
  const log =
    'Traceback (most recent call last):\n  File "/app/main.py", line 4, in <module>\n    rows["flux"]\nKeyError: \'flux\'\n';
  expect(said(told + log)).toMatch(/^code-error: .*KeyError: 'flux'/);
});

test('workers that are started anew, and then serve, have not failed', () => {
  const died = 'INFO:     Child process [8] died\n';
  expect(said(died)).toMatch(/^worker-timeout/);
  expect(said(`${died}INFO:     Application startup complete.\n`)).toMatch(/^null/);
});

describe('an error that a logger tells of', () => {
  const failed = '[12:04:52 ERROR] job 12: render failed with code -7\n';
  const asked = (path: string) => `INFO:     10.0.0.1:1 - "GET ${path} HTTP/1.1" 200 OK\n`;

  test.each(['/health', '/api/v1/jobs/progress', '/metrics', '/healthz?full=1'])(
    'is not over when %s answers',
    (path) => {
      expect(said(asked('/jobs') + failed + asked(path))).toMatch(/^unknown: .*render failed/);
    },
  );

  test('is over when the server starts after it', () => {
    expect(said(`${failed}INFO:     Application startup complete.\n${asked('/health')}`)).toMatch(/^null: .*goes on/);
  });

  test('is over when what it serves is answered', () => {
    expect(said(asked('/jobs') + failed + asked('/jobs'))).toMatch(/^null: .*goes on answering/);
  });
});

const raised =
  'ERROR:    Exception in ASGI application\nTraceback (most recent call last):\n  File "/app/main.py", line 9, in items\n    rows()\n' +
  'sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out\n';

test('that some job is finished does not end a request well', () => {
  expect(said(`${raised}INFO [worker] job 91 finished elapsed=47.70s\n`)).toMatch(/^service-quota-exceeded/);
});

test('what is raised for a request that then fails is not handled', () => {
  const later =
    'Traceback (most recent call last):\n  File "/app/main.py", line 4, in <module>\n    run()\nRuntimeError: the flux is out\n';
  const log = `${raised}INFO:     10.0.0.1:1 - "GET / HTTP/1.1" 500 Internal Server Error\n${later}`;
  expect(said(log)).toMatch(/^service-quota-exceeded/);
  expect(said(log.replace('500 Internal Server Error', '200 OK'))).not.toMatch(/^service-quota-exceeded/);
});

test.each([
  [
    'the status that was asked for',
    "ERROR: pip's dependency resolver\nserve-check: 41 passed in 6.20s\n$ echo $?\n0\n",
  ],
  ['a code that is returned', 'I tensorflow/cpu.cc:210] performance-critical\nRESULT: run finished, return code 0\n'],
])('%s is a good end', (_, log) => {
  expect(said(log)).toMatch(/^null: .*ends well/);
});

test.each([
  ['has not started the app', '[8] [INFO] Booting worker\n[9] [INFO] Application startup complete.\n', 'took too long'],
  ['has started it', '[8] [INFO] Application startup complete.\n', 'event loop'],
  ['is not named', 'INFO:     Application startup complete.\n', 'event loop'],
])('a worker that %s and gives no answer is explained by that', (_, log, title) => {
  expect(said(`${log}[1] [CRITICAL] WORKER TIMEOUT (pid:8)\n`)).toMatch(new RegExp(`^worker-timeout: .*${title}`));
});
