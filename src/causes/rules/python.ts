import type { FailureRule } from '../rule.ts';

/** What a line of the app looks like when its server has started after all. */
const started = /Application startup complete|App is ready/;

/** Errors of Python, in the code of the app or while it is imported. */
export const pythonRules: readonly FailureRule[] = [
  {
    cause: 'syntax-error',
    rank: 3,
    signs: {
      'SyntaxError: ': /^(?:E {1,8})?SyntaxError: (?<problem>.{1,200})/,
      'IndentationError: ': /^IndentationError: (?<problem>.{1,200})/,
      'TabError: ': /^TabError: (?<problem>.{1,200})/,
    },
    undoneBy: started,
    title: 'a Python file has a syntax error: {problem}',
    fix: 'correct the line that the traceback names; newer syntax needs a newer python_version',
  },
  {
    cause: 'syntax-error',
    rank: 4,
    signs: { 'SyntaxError: f-string': /SyntaxError: (?<problem>f-string.{1,120})/ },
    undoneBy: started,
    title: 'a Python file has a syntax error: {problem}',
    fix: 'set python_version to 3.12 or newer, where an f-string may contain its own quotes and backslashes, or write it without',
    at: 'deployment.python_version',
  },
  {
    cause: 'out-of-memory',
    rank: 3,
    signs: {
      bad_alloc: /what\(\): {1,4}std::bad_alloc|instance of 'std::bad_alloc'/,
      MemoryError: /^(?:numpy\.\S{0,60}\._?Array)?MemoryError(?::|$)/,
      _ArrayMemoryError: /^numpy\.\S{0,60}_ArrayMemoryError: Unable to allocate (?<amount>[\d.]{1,10} \w{1,4})/,
      Killed: /^(?:\S{0,120}: line \d{1,6}: {1,8}\d{1,8} {1,4})?Killed(?: {1,40}\S.{0,200})?$/,
      'Memory quota': /Error R1[45] \(Memory quota (?:vastly )?exceeded\)/,
      OOMKilled: /OOMKilled/,
      'ut of memory: Kill': /[Oo]ut of memory: Kill(?:ed)? process \d{1,8} \((?<program>[^)]{1,40})\)/,
      'terminated abruptly':
        /^concurrent\.futures\.process\.BrokenProcessPool: A process in the process pool was terminated abruptly/,
      'excessive memory usage': /excessive memory usage causing the Operating System to kill the worker/,
      "can't allocate memory": /DefaultCPUAllocator: can't allocate memory/,
      'not enough memory': /DefaultCPUAllocator: not enough memory/,
      'heap out of memory': /JavaScript heap out of memory/,
      'Cannot allocate memory': /^OSError: \[Errno 12\] Cannot allocate memory/,
    },
    title: 'the app ran out of memory',
    fix: 'raise memory, or load less at once',
    at: 'hardware.memory',
  },
  {
    cause: 'out-of-memory',
    // What was killed is a better evidence than that it was.
    rank: 2,
    signs: {
      'exit code 137': /^exit code 137$/,
      'exited with code 137': /\bexited with code 137$/,
      SIGKILL: /its (?:process|container) ended with SIGKILL/,
    },
    title: 'the app ran out of memory',
    fix: 'raise memory, or load less at once',
    at: 'hardware.memory',
  },
  {
    cause: 'segfault',
    rank: 3,
    signs: {
      'egmentation fault':
        /(?:^|^\d{1,8} {1,4}|: {1,8}(?:\d{1,8} {1,4})?)(?:Fatal Python error: )?[Ss]egmentation fault(?: {1,20}\(core dumped\))?(?: {1,20}\S.{0,200})?$/,
      'exit code 139': /^exit code 139$/,
      'code 139': /was sent code 139\b|exit code 139 \(/,
      SIGSEGV: /was sent SIGSEGV|signal SIGSEGV|ended with SIGSEGV/,
    },
    title: 'the program crashed in native code',
    fix: 'the cause is probably a package with compiled code: pin it to another version',
    at: 'dependencies.pip',
  },
  {
    cause: 'wrong-arguments',
    rank: 2,
    signs: {
      'missing ':
        /^TypeError: (?<name>[\w.]{1,80})\(\) missing \d{1,3} required (?:positional|keyword-only) arguments?: (?<wanted>.{1,160})/,
    },
    title: 'the call of {name} has other parameters than the function: {wanted}',
    fix: 'give the parameter a default, or send it with the call',
  },
  {
    cause: 'wrong-arguments',
    rank: 2,
    signs: {
      'got an unexpected keyword argument':
        /^TypeError: (?<name>run|predict|main)\(\) got an unexpected keyword argument (?<wanted>'\w{1,80}')/,
    },
    title: '{name} has no parameter {wanted}',
    fix: 'add the parameter to {name}, or do not send it with the call',
  },
  {
    cause: 'shared-memory-full',
    rank: 4,
    signs: { 'shared memory': /out of shared memory|insufficient shared memory/ },
    title: 'the shared memory of the container is full',
    fix: 'set num_workers=0 for the DataLoader, or use the file_system sharing strategy',
  },
];
