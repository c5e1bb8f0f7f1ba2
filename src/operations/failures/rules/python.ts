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
    cause: 'module-missing',
    rank: 2,
    signs: {
      'No module named': /^(?:\w{1,40}\.)?ModuleNotFoundError: No module named '(?<module>[\w.]{1,120})'/,
      ': No module named':
        /^\S{0,120}python[\d.]{0,6}: (?:Error while finding module specification for '(?<spec>[\w.]{1,100})' .{0,40})?No module named '?(?<module>[\w.]{1,120})'?/,
    },
    undoneBy: started,
    title: 'the Python module {module} is not installed',
    fix: 'add {package} to [cerebrium.dependencies.pip]: {package} = "latest"',
    at: 'dependencies.pip',
  },
  {
    cause: 'relative-import',
    rank: 3,
    signs: {
      'attempted relative import':
        /^(?:ImportError|ValueError): attempted relative import (?<problem>with no known parent package|beyond top-level package)/,
    },
    undoneBy: started,
    title: 'a relative import in a file that is not part of a package',
    fix: 'import it by its name: from model import load instead of from .model import load',
  },
  {
    cause: 'circular-import',
    rank: 4,
    signs: {
      'partially initialized module':
        /^(?:ImportError|AttributeError): .{0,120}partially initialized module '(?<module>[\w.]{1,100})'/,
      'consider renaming': /consider renaming '(?<module>[^']{1,120})' since it has the same name/,
    },
    undoneBy: started,
    title: 'the module {module} imports itself, or has the name of another one',
    fix: 'rename a file that has the name of a package, or move one of the imports into a function',
  },
  {
    cause: 'binary-incompatible',
    rank: 4,
    signs: {
      'numpy.dtype size changed': /numpy\.(?:dtype|ufunc|ndarray) size changed, may indicate binary incompatibility/,
      'A module that was compiled using NumPy':
        /A module that was compiled using NumPy (?<compiled>\S{1,12}) cannot be run in/,
      'numpy.core.multiarray failed to import': /numpy\.core\.multiarray failed to import/,
      'compiled against': /module (?:was )?compiled against (?:ABI|API) version/,
      'undefined symbol': /^ImportError: .{1,300}undefined symbol: /,
    },
    undoneBy: started,
    title: 'a package was compiled for another version of NumPy or of another package',
    fix: 'pin numpy to the version that it was made for (numpy = "<2"), or update the package',
    at: 'dependencies.pip.numpy',
  },
  {
    cause: 'import-name-missing',
    rank: 3,
    signs: {
      'cannot import name': /^ImportError: cannot import name '(?<name>\w{1,100})' from '(?<module>[\w.]{1,120})'/,
      'has been moved to the':
        /^pydantic\.errors\.PydanticImportError: `?(?<name>\w{1,80})`? has (?:been )?(?:moved|removed)/,
    },
    undoneBy: started,
    title: '{module} has no {name}',
    fix: 'pin the version of the package that the code was written for',
    at: 'dependencies.pip',
  },
  {
    cause: 'shared-library-missing',
    rank: 4,
    signs: {
      'cannot open shared object file':
        /(?<![\w.+-])(?<library>[\w.+-]{1,80}\.so[\w.]{0,20}): cannot open shared object file/,
      'shared library': /^ImportError: Unable to find (?<library>\w{1,40}) shared library/,
      'library not found': /^OSError: (?<library>\w{1,60}) library not found/,
    },
    undoneBy: started,
    title: 'the image lacks the library {library}',
    fix: 'add {package|the package that has it} to [cerebrium.dependencies.apt]; libraries of CUDA come with a base image',
    at: 'dependencies.apt',
  },
  {
    cause: 'secret-missing',
    rank: 4,
    signs: {
      'KeyError: ': /^KeyError: '(?<name>[A-Z][A-Z0-9_]{2,80})'$/,
    },
    after: /os\.environ|<frozen os>|[\\/]os\.py", line/,
    title: 'the variable {name} is not set',
    fix: 'set it as a secret of the app',
    next: ['secrets', 'set', '{name}'],
  },
  {
    cause: 'secret-missing',
    rank: 4,
    signs: {
      'environment variable':
        /^\w[\w.]{0,80}(?:Error|Exception): .{0,300}?\b(?<name>[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,6})\b.{0,60}environment variable/,
    },
    title: 'the variable {name} is not set',
    fix: 'set it as a secret of the app',
    next: ['secrets', 'set', '{name}'],
  },
  {
    cause: 'file-not-found',
    rank: 2,
    signs: {
      'FileNotFoundError: ': /^FileNotFoundError: \[Errno 2\] No such file or directory: '(?<path>[^']{1,300})'/,
      'No such file or directory':
        /^(?:cp|mv|cat|ls|chmod|tar|source|bash|sh|rm|ln): (?:line \d{1,6}: )?(?:cannot (?:stat|access|open) )?['‘]?(?<path>[^'’:]{1,200})['’]?: No such file or directory$/,
    },
    title: '{path} does not exist',
    fix: 'add it to the app folder, or copy it to a volume and read it from /persistent-storage',
  },
  {
    cause: 'permission-denied',
    rank: 3,
    signs: {
      'PermissionError: ':
        /^PermissionError: \[Errno (?:13|1)\] (?:Permission denied|Operation not permitted)(?:: '(?<path>[^']{1,300})')?/,
      '[Errno 13] Permission denied':
        /^ERROR: Could not install packages due to an (?:OSError|EnvironmentError): \[Errno 13\] Permission denied(?:: '(?<path>[^']{1,300})')?/,
      ': Permission denied': /^\S{0,40}(?:bash|sh)?: (?:line )?\d{0,6}:? ?(?<path>[\w./-]{1,200}): Permission denied$/,
      ': permission denied': /exec: "(?<path>[^"]{1,200})": permission denied/,
      '13: Permission denied':
        /^E: (?:Could not open lock file|Could not open file|List directory|Unable to acquire) .{0,200}\(13: Permission denied\)/,
      'are you root?': /are you root\?$/,
    },
    title: 'permission denied: {path}',
    fix: 'write to /persistent-storage or /tmp; make a script executable with chmod +x',
  },
  {
    cause: 'out-of-memory',
    rank: 3,
    signs: {
      MemoryError: /^(?:numpy\.\S{0,60}\._?Array)?MemoryError(?::|$)/,
      _ArrayMemoryError: /^numpy\.\S{0,60}_ArrayMemoryError: Unable to allocate (?<amount>[\d.]{1,10} \w{1,4})/,
      Killed: /^(?:\S{0,120}: line \d{1,6}: {1,8}\d{1,8} {1,4})?Killed(?: {1,40}\S.{0,200})?$/,
      'Perhaps out of memory': /was sent SIGKILL! Perhaps out of memory\?/,
      OOMKilled: /OOMKilled/,
      'out of memory: Killed process': /[Oo]ut of memory: Killed process \d{1,8} \((?<program>[^)]{1,40})\)/,
      'terminated abruptly':
        /^concurrent\.futures\.process\.BrokenProcessPool: A process in the process pool was terminated abruptly/,
      'excessive memory usage': /excessive memory usage causing the Operating System to kill the worker/,
      "can't allocate memory": /DefaultCPUAllocator: can't allocate memory/,
      'not enough memory': /DefaultCPUAllocator: not enough memory/,
      'heap out of memory': /JavaScript heap out of memory/,
      'Cannot allocate memory': /^OSError: \[Errno 12\] Cannot allocate memory/,
      'exit code 137': /^exit code 137$/,
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
      'Segmentation fault':
        /(?:^|: )(?:Fatal Python error: )?Segmentation fault(?: {1,20}\(core dumped\))?(?: {1,20}\S.{0,200})?$/,
      'exit code 139': /^exit code 139$/,
      SIGSEGV: /was sent SIGSEGV|signal SIGSEGV|ended with SIGSEGV/,
    },
    title: 'the program crashed in native code',
    fix: 'a package with compiled code is the cause: pin it to another version',
    at: 'dependencies.pip',
  },
  {
    cause: 'network-failed',
    rank: 2,
    signs: {
      NameResolutionError:
        /^(?:\w[\w.]{0,80}\.)?(?:ConnectionError|MaxRetryError|NameResolutionError): .{0,300}(?:NameResolutionError|Failed to resolve)/,
      'Connection refused':
        /^(?:\w[\w.]{0,80}\.)?(?:ConnectionError|URLError|ConnectError|ConnectionRefusedError|NewConnectionError|LocalEntryNotFoundError|APIConnectionError): .{0,300}[Cc]onnection refused/,
      'ConnectionRefusedError: ': /^ConnectionRefusedError: /,
      'Name or service not known':
        /^(?:\w[\w.]{0,80}\.)?(?:gaierror|URLError|ConnectError|ConnectionError): .{0,200}Name or service not known/,
      'Temporary failure in name resolution':
        /^(?:\w[\w.]{0,80}\.)?\w{1,40}(?:Error|gaierror): .{0,300}Temporary failure in name resolution/,
      'timed out':
        /^(?:\w[\w.]{0,80}\.)?(?:ReadTimeout|ConnectTimeout|Timeout|TimeoutError|ReadTimeoutError|APITimeoutError)(?:: .{0,200}timed out|$)/,
      'All connection attempts failed': /^httpx\.ConnectError: All connection attempts failed/,
      'Could not resolve host': /Could not resolve host: ?(?<host>[\w.-]{0,100})/,
      'cannot find the requested files in the local cache': /LocalEntryNotFoundError: .{0,200}/,
      LocalEntryNotFoundError: /LocalEntryNotFoundError: /,
    },
    title: 'another host cannot be reached',
    fix: 'check the address; if the host is only busy, retry in the code',
  },
  {
    cause: 'model-access-denied',
    rank: 4,
    signs: {
      GatedRepoError: /GatedRepoError: /,
      'Cannot access gated repo': /Cannot access gated repo/,
      'is not a valid model identifier': /is not a (?:local folder and is not a )?valid model identifier/,
      RepositoryNotFoundError: /RepositoryNotFoundError: /,
      'Access to model': /Access to model \S{1,120} is restricted/,
    },
    title: 'the model does not exist, or needs a token that may read it',
    fix: 'accept its terms, and set a token as the secret HF_TOKEN',
    next: ['secrets', 'set', 'HF_TOKEN'],
  },
  {
    cause: 'wrong-arguments',
    rank: 2,
    signs: {
      'missing ':
        /^TypeError: (?<name>[\w.]{1,80})\(\) missing \d{1,3} required (?:positional|keyword-only) arguments?: (?<wanted>.{1,160})/,
      'got an unexpected keyword argument':
        /^TypeError: (?<name>run|predict|main)\(\) got an unexpected keyword argument (?<wanted>'\w{1,80}')/,
    },
    title: 'the call of {name} has other parameters than the function: {wanted}',
    fix: 'give the parameter a default, or send it with the call',
  },
  {
    cause: 'shared-memory-full',
    rank: 4,
    signs: { 'shared memory': /out of shared memory|insufficient shared memory/ },
    title: 'the shared memory of the container is full',
    fix: 'set num_workers=0 for the DataLoader, or use the file_system sharing strategy',
  },
];
