import { type FailureRule, texts } from '../rule.ts';

/** Processes, threads and event loops of the app. */
export const processRules: readonly FailureRule[] = [
  {
    cause: 'port-in-use',
    rank: 5,
    signs: {
      'of this emulator': /^(?<who>app \S{1,80} of this emulator) listens on port (?<port>\d{1,5})/,
      'another program listens': /(?<who>another program) listens on port (?<port>\d{1,5})/,
    },
    title: '{who} listens on port {port}',
    fix: 'read the port from the variable PORT, which the emulator sets for each app, or stop what listens there',
    at: 'runtime.custom.port',
  },
  {
    cause: 'cuda-after-fork',
    rank: 5,
    signs: texts(`Cannot re-initialize CUDA in forked subprocess; CUDA_ERROR_NOT_INITIALIZED`),
    title: 'a process uses the GPU before it forks another one that does',
    fix: "load the model in each worker, not before: gunicorn without --preload, multiprocessing with set_start_method('spawn')",
    at: 'runtime.custom.entrypoint',
  },
  {
    cause: 'main-guard-missing',
    rank: 5,
    signs: { 'bootstrapping phase': /current process has finished its bootstrapping phase/ },
    title: 'a started process imports the file again, which starts processes when it is imported',
    fix: 'put what starts processes below if __name__ == "__main__":',
  },
  {
    cause: 'event-loop-misused',
    signs: texts(`cannot be called from a running event loop; RuntimeError: This event loop is already running;
        RuntimeError: Cannot run the event loop while another loop is running;
        using Playwright Sync API inside the asyncio loop;
        SynchronousOnlyOperation: You cannot call this from an async context`),
    title: 'the code starts or blocks an event loop inside of a running one, such as that of the server',
    fix: 'await the coroutine in an async function instead of asyncio.run, or call it in a thread of its own',
  },
  {
    cause: 'event-loop-misused',
    rank: 3,
    signs: {
      'no current event loop': /RuntimeError: There is no current event loop(?: in thread|\.|$)/,
      ...texts(`RuntimeError: no running event loop; RuntimeError: Event loop is closed;
        attached to a different loop; bound to a different event loop`),
    },
    title: 'the code uses an event loop that does not run, or that of another thread',
    fix: 'create clients and locks inside of the async function that uses them, and start it with asyncio.run',
  },
  {
    cause: 'not-picklable',
    rank: 3,
    signs: {
      "an't pickle": /^(?:AttributeError|TypeError|_pickle\.PicklingError): [Cc]an't pickle (?<what>.{1,100})/,
      'cannot pickle': /(?:^|[ .])TypeError: cannot pickle (?<what>.{1,100})/,
    },
    title: 'what is sent to another process cannot be pickled: {what}',
    fix: 'define it at the top of a module, and open connections and models in the process that uses them',
  },
  {
    cause: 'process-limit-reached',
    signs: {
      "can't start new thread": /RuntimeError: can't start new thread/,
      'Resource temporarily unavailable':
        /(?:pthread_create failed|Thread creation failed|fork: (?:retry: )?).{0,80}Resource temporarily unavailable/,
      'Too many open files': /(?:\[Errno 24\] |: )Too many open files/,
    },
    title: 'the app has more threads, processes or open files than the container allows',
    fix: 'start fewer workers and threads (OMP_NUM_THREADS=1, OPENBLAS_NUM_THREADS=1), and close files and connections',
  },
  {
    cause: 'segfault',
    // What was printed before an abort shows more.
    rank: 1,
    signs: { Aborted: /(?:^|: {1,8}(?:\d{1,8} {1,4})?|^\d{1,8} {1,4})Aborted {1,20}\(core dumped\)/ },
    title: 'the program stopped itself in native code',
    fix: 'read what it printed before; if that is nothing, pin the packages with compiled code to other versions',
    at: 'dependencies.pip',
  },
];
