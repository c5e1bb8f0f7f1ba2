import { type FailureRule, rows, rowsWith } from '../rule.ts';
import { findUncaught } from '../tracebacks.ts';

/** gunicorn stops a worker that took too long by a signal, and then guesses. */
export const timedOut = /\bWORKER TIMEOUT \(pid:\d{1,8}\)/;

/** Processes, threads and event loops of the app. */
export const processRules: readonly FailureRule[] = [
  ...rows`
3 not-picklable | rror: Can't pickle {what…}; rror: can't pickle {what…}; rror: cannot pickle {what…} | an object cannot be pickled, which saves it or sends it to another process: {what} | define it at the top of a module, and open connections and models in the process that uses them
3 event-loop-misused | RuntimeError: There is no current event loop; RuntimeError: no running event loop; RuntimeError: Event loop is closed; attached to a different loop; bound to a different event loop; Timeout context manager should be used inside a task | the code uses an event loop that does not run, or that of another thread | create clients and locks inside of the async function that uses them, and start it with asyncio.run
event-loop-misused | no current event loop in thread 'MainThread' | asyncio.get_event_loop() was called where no event loop runs, and makes none since Python 3.14 | start it with asyncio.run; for a package that does so, set python_version to 3.13, or update it
network-failed | When localhost is not accessible, a shareable link must be created | gradio does not reach its own server: a proxy stands between, or its page fails | set NO_PROXY=localhost,127.0.0.1,0.0.0.0, and start it with server_name="0.0.0.0"; if its page fails, update gradio
5 cuda-after-fork | Cannot re-initialize CUDA in forked subprocess; CUDA_ERROR_NOT_INITIALIZED | a process uses the GPU before it forks another one that does | load the model in each worker, not before: gunicorn without --preload, multiprocessing with set_start_method('spawn') | runtime.custom.entrypoint
5 main-guard-missing | current process has finished its bootstrapping phase | a started process imports the file again, which starts processes when it is imported | put what starts processes below if __name__ == "__main__":
event-loop-misused | cannot be called from a running event loop; RuntimeError: This event loop is already running; RuntimeError: Cannot run the event loop while another loop is running; using Playwright Sync API inside the asyncio loop; SynchronousOnlyOperation: You cannot call this from an async context | the code starts or blocks an event loop inside of a running one, such as that of the server | await the coroutine in an async function instead of asyncio.run, or call it in a thread of its own
5 port-in-use | /^(?<who>app \S{1,80} of this emulator) listens on port (?<port>\d{1,5})/; {who=another program} listens on port {port} | {who} listens on port {port} | read the port from the variable PORT, which the emulator sets for each app, or stop what listens there | runtime.custom.port
process-limit-reached | RuntimeError: can't start new thread; {pthread_create failed|Thread creation failed|fork: |fork: retry: }…Resource temporarily unavailable; {[Errno 24] |: }Too many open files | the app has more threads, processes or open files than the container allows | start fewer workers and threads (OMP_NUM_THREADS=1, OPENBLAS_NUM_THREADS=1), and close files and connections
`,
  // What was printed before shows more.
  ...rowsWith({
    applies: (_, __, before) => !before().some((line) => timedOut.test(line)) && findUncaught(before()) === undefined,
  })`
2 segfault | /(?:^|: {1,8}(?:\d{1,8} {1,4})?|^\d{1,8} {1,4})Aborted {1,20}\(core dumped\)/; signal 11 SIGSEGV; signal 6 (?<!sent )SIGABRT; signal 8 SIGFPE | the program crashed, or stopped itself, in native code | read what it printed before; if that is nothing, the cause is probably a package with compiled code: pin it to another version | dependencies.pip
`,
];
