import type { FailureRule } from '../rule.ts';

/** Processes, threads and event loops of the app. */
export const processRules: readonly FailureRule[] = [
  {
    cause: 'port-in-use',
    rank: 5,
    signs: { 'of this emulator': /^app (?<app>\S{1,80}) of this emulator listens on port (?<port>\d{1,5})/ },
    title: 'app {app} of the same emulator listens on port {port}',
    fix: 'read the port from the variable PORT, which the emulator sets for each app, or stop {app}',
    at: 'runtime.custom.port',
  },
  {
    cause: 'cuda-after-fork',
    rank: 5,
    signs: {
      'Cannot re-initialize CUDA in forked subprocess': /Cannot re-initialize CUDA in forked subprocess/,
      CUDA_ERROR_NOT_INITIALIZED: /CUDA_ERROR_NOT_INITIALIZED/,
    },
    title: 'a process uses the GPU before it forks another one that does',
    fix: "load the model in each worker, not before: gunicorn without --preload, multiprocessing with set_start_method('spawn')",
    at: 'runtime.custom.entrypoint',
  },
  {
    cause: 'main-guard-missing',
    rank: 5,
    signs: {
      'bootstrapping phase': /current process has finished its bootstrapping phase/,
    },
    title: 'a started process imports the file again, which starts processes when it is imported',
    fix: 'put what starts processes below if __name__ == "__main__":',
  },
  {
    cause: 'event-loop-misused',
    rank: 4,
    signs: {
      'cannot be called from a running event loop': /cannot be called from a running event loop/,
      'event loop is already running': /RuntimeError: This event loop is already running/,
      'while another loop is running': /RuntimeError: Cannot run the event loop while another loop is running/,
      'Sync API inside the asyncio loop': /using Playwright Sync API inside the asyncio loop/,
      'from an async context': /SynchronousOnlyOperation: You cannot call this from an async context/,
    },
    title: 'the code starts or blocks an event loop inside of a running one, such as that of the server',
    fix: 'await the coroutine in an async function instead of asyncio.run, or call it in a thread of its own',
  },
  {
    cause: 'event-loop-misused',
    rank: 3,
    signs: {
      'no current event loop': /RuntimeError: There is no current event loop(?: in thread|\.|$)/,
      'no running event loop': /^RuntimeError: no running event loop/,
      'Event loop is closed': /^RuntimeError: Event loop is closed/,
      'attached to a different loop': /attached to a different loop/,
      'bound to a different event loop': /bound to a different event loop/,
    },
    title: 'the code uses an event loop that does not run, or that of another thread',
    fix: 'create clients and locks inside of the async function that uses them, and start it with asyncio.run',
  },
  {
    cause: 'not-picklable',
    rank: 3,
    signs: {
      "an't pickle": /^(?:AttributeError|TypeError|_pickle\.PicklingError): [Cc]an't pickle (?<what>.{1,100})/,
      'cannot pickle': /^TypeError: cannot pickle (?<what>.{1,100})/,
    },
    title: 'what is sent to another process cannot be pickled: {what}',
    fix: 'define it at the top of a module, and open connections and models in the process that uses them',
  },
  {
    cause: 'process-limit-reached',
    rank: 4,
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
    rank: 3,
    signs: {
      'double free or corruption': /^(?:\*{3} .{0,80})?double free or corruption/,
      'free(): invalid': /^free\(\): invalid (?:pointer|size|next size)/,
      'malloc(): ': /^malloc\(\): (?:invalid|corrupted|memory corruption|unaligned|unsorted)/,
      'corrupted size vs. prev_size': /^corrupted size vs\. prev_size/,
      'munmap_chunk()': /^munmap_chunk\(\): invalid pointer/,
      SIGABRT: /signal[ =]SIGABRT|ended with SIGABRT/,
      '-11': /exit ?code[:=] ?-11\b|exited with code -11\b/,
      SIGSEGV: /signal=SIGSEGV|signal 11 \(SIGSEGV\)/,
      'SIGSEGV: 11': /died with <Signals\.SIGSEGV: 11>/,
      'exit code 134': /^exit code 134$/,
      'Floating point exception': /(?:^|: {1,8}(?:\d{1,8} {1,4})?)Floating point exception/,
    },
    title: 'the program crashed in native code',
    fix: 'the cause is probably a package with compiled code: pin it to another version',
    at: 'dependencies.pip',
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
  {
    cause: 'out-of-memory',
    rank: 3,
    signs: {
      'SIGKILL: 9': /died with <Signals\.SIGKILL: 9>/,
      '-9': /exit ?code[:=] ?-9\b|exited with code -9\b|returned non-zero exit status -9\b/,
      '137':
        /[Cc]ommand failed with exit code 137\b|non-zero exit status 137\b|exit(?:ed)?(?: with)?(?: exit)? (?:code|status):? 137\b/,
      'emory cgroup out of memory': /[Mm]emory cgroup out of memory/,
      OutOfMemoryError: /^ray\.exceptions\.OutOfMemoryError/,
      'low on resource: memory': /low on resource: memory/,
      SIGKILL: /\bterminated by signal SIGKILL\b|signal=SIGKILL|exited prematurely: signal 9 \(SIGKILL\)/,
    },
    // A build says which of its steps failed.
    applies: (_, { source }, before) => source !== 'build' && !before().some((line) => step.test(line)),
    title: 'the app ran out of memory',
    fix: 'raise memory, or load less at once',
    at: 'hardware.memory',
  },
];

const step = /^(?:Step \d|STEP \d|\[\d{1,2}\/\d{1,2}\] |> \[|Collecting |running build)/;
