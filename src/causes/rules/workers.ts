import type { FailureRule } from '../rule.ts';

const timedOut = /\bWORKER TIMEOUT \(pid:\d{1,8}\)/;

/** Workers of gunicorn. */
export const workerRules: readonly FailureRule[] = [
  {
    cause: 'worker-timeout',
    rank: 2,
    signs: { 'WORKER TIMEOUT': timedOut },
    title: 'gunicorn stopped a worker that took too long',
    fix: 'raise --timeout of gunicorn (30 seconds by default), or load models before the workers start: --preload',
    at: 'runtime.custom.entrypoint',
  },
  {
    cause: 'out-of-memory',
    rank: 3,
    signs: {
      'Perhaps out of memory': /was sent SIGKILL! Perhaps out of memory\?/,
      'terminated due to signal 9': /Worker with pid \d{1,8} was terminated due to signal 9$/,
    },
    // gunicorn itself kills a worker that took too long, and then guesses.
    applies: (_, __, before) => !before().some((line) => timedOut.test(line)),
    title: 'the app ran out of memory',
    fix: 'raise memory, or start fewer workers: each loads the app',
    at: 'hardware.memory',
  },
  {
    cause: 'worker-class-wrong',
    rank: 5,
    signs: {
      'class uri': /class uri '(?<name>[^']{1,120})' invalid or not found/,
    },
    title: 'gunicorn does not find the worker class {name}',
    fix: 'correct the name after -k, such as uvicorn.workers.UvicornWorker, and list the package that has it',
    at: 'runtime.custom.entrypoint',
  },
  {
    cause: 'worker-class-wrong',
    rank: 4,
    signs: {
      "'send'":
        /^TypeError: [\w.]{0,80}__call__\(\) missing [12] required positional arguments?: (?:'receive' and )?'send'/,
    },
    title: 'gunicorn serves an ASGI app with a worker for WSGI apps',
    fix: 'add -k uvicorn.workers.UvicornWorker to the gunicorn command, and uvicorn to the dependencies',
    at: 'runtime.custom.entrypoint',
  },
];
