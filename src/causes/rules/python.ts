import { type FailureRule, texts } from '../rule.ts';
import { endedBy } from './processes.ts';

/** What a line of the app looks like when its server has started after all. */
const started = /Application startup complete|App is ready/;

const killer =
  /^(?:Step \d|STEP \d|\[\d{1,2}\/\d{1,2}\] |> \[|Collecting |running build)|[Hh]ealth ?check|became healthy|SIGTERM|failed liveness|WORKER TIMEOUT|Error R10 /;

/** Names of the standard library by the version of Python that brought them. */
const added: Readonly<Record<string, string>> = {
  '3.7': 'run|get_running_loop|fromisoformat',
  '3.8': 'Final|Literal|Protocol|TypedDict|cached_property',
  '3.9': 'Annotated|BooleanOptionalAction|cache|to_thread',
  '3.10': 'Concatenate|ParamSpec|TypeAlias|TypeGuard|pairwise',
  '3.11': 'LiteralString|Never|NotRequired|Required|Self|StrEnum|TaskGroup|UTC|Unpack|assert_never|reveal_type|timeout',
  '3.12': 'TypeAliasType|batched|override',
  '3.13': 'ReadOnly|TypeIs',
};
const places = 'typing|enum|datetime|datetime\\.datetime|asyncio|itertools|functools|argparse';

/** Errors of Python, in the code of the app or while it is imported. */
export const pythonRules: readonly FailureRule[] = [
  {
    cause: 'syntax-error',
    rank: 3,
    signs: [
      /^(?:E {1,8})?SyntaxError: (?!.{0,120}\bJSON\b)(?<problem>.{1,200})/,
      /^IndentationError: (?<problem>.{1,200})/,
      /^TabError: (?<problem>.{1,200})/,
    ],
    undoneBy: started,
    title: 'a source file has a syntax error: {problem}',
    fix: 'correct the line that the traceback names; newer syntax needs a newer python_version, or a newer Node',
  },
  {
    cause: 'syntax-error',
    signs: [/SyntaxError: (?<problem>f-string.{1,120})/],
    undoneBy: started,
    title: 'a source file has a syntax error: {problem}',
    fix: 'set python_version to 3.12 or newer, where an f-string may contain its own quotes and backslashes, or write it without',
    at: 'deployment.python_version',
  },
  {
    cause: 'out-of-memory',
    rank: 3,
    signs: [
      /what\(\): {1,4}std::bad_alloc|instance of 'std::bad_alloc'/,
      /^(?:numpy\.\S{0,60}\._?Array)?MemoryError(?::|$)/,
      /^numpy\.\S{0,60}_ArrayMemoryError: Unable to allocate (?<amount>[\d.]{1,10} \w{1,4})/,
      /^(?:\S{0,120}: line \d{1,6}: {1,8}\d{1,8} {1,4}|.{0,200}(?:it\/s|s\/it|B\/s|\?)\])?Killed(?: {1,40}\S.{0,200})?$/,
      /Error R1[45] \(Memory quota (?:vastly )?exceeded\)/,
      /[Oo]ut of memory: Kill(?:ed)? process \d{1,8} \((?<program>[^)]{1,40})\)/,
      /\b[Rr]an out of memory \(used over/,
      /[Mm]emory limit of \S{1,12} (?:\w{1,5} )?(?:was )?exceeded|[Ee]xceeded (?:its |the )?memory limit/,
      /[Mm]emory cgroup out of memory/,
      ...texts(`
        concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly;
        OSError: [Errno 12] Cannot allocate memory; ray.exceptions.OutOfMemoryError; OOMKilled;
        excessive memory usage causing the Operating System to kill the worker;
        DefaultCPUAllocator: can't allocate memory; DefaultCPUAllocator: not enough memory;
        low on resource: memory`),
    ],
    title: 'the app ran out of memory',
    fix: 'raise memory, or load less at once',
    at: 'hardware.memory',
  },
  {
    cause: 'out-of-memory',
    // What was killed is a better evidence than that it was.
    rank: 2,
    signs: [
      /(?:^|[Cc]ommand failed with |non-zero |\b)[Ee]xit(?:ed)?(?: with)? ?(?:exit )?(?:[Cc]ode|status)[:=]? {0,8}(?<killed>137)\b/,
      /(?:exit ?code[:=] ?|exited with code |returned non-zero exit status )(?<killed>-9)\b/,
      /\b(?:killed|died)\b.{0,30}\bsignal (?<killed>9)\b/,
      /(?:ended with|terminated by signal|signal=|exited prematurely: signal 9 \(|died with <Signals\.)(?<killed>SIGKILL)\b/,
    ],
    // A build says which of its steps failed. A check that fails, and a stop that takes too long, kill too.
    applies: (_, { source }, before) => source !== 'build' && !before().some((line) => killer.test(line)),
    title: 'the app was killed ({killed}), most often because it ran out of memory',
    fix: 'watch its memory until it ends (gantry status, docker stats): only if that reaches the limit, load less or raise memory',
    at: 'hardware.memory',
  },
  {
    cause: 'segfault',
    rank: 3,
    signs: [
      /(?:^|^\d{1,8} {1,4}|: {1,8}(?:\d{1,8} {1,4})?)(?:Fatal Python error: )?[Ss]egmentation fault(?: {1,20}\(core dumped\))?(?: {1,20}\S.{0,200})?$/,
      /^Extension modules: /,
      /^(?:\*{3} .{0,80})?double free or corruption/,
      /^free\(\): invalid (?:pointer|size|next size)/,
      /^malloc\(\): (?:invalid|corrupted|memory corruption|unaligned|unsorted)/,
      /(?:^|: {1,8}(?:\d{1,8} {1,4})?)Floating point exception/,
      ...texts(`corrupted size vs. prev_size; munmap_chunk(): invalid pointer`),
    ],
    title: 'the program crashed in native code',
    fix: 'the cause is probably a package with compiled code: pin it to another version',
    at: 'dependencies.pip',
  },
  {
    cause: 'wrong-arguments',
    rank: 2,
    signs: [
      /^TypeError: (?<name>[\w.]{1,80})\(\) missing \d{1,3} required (?:positional|keyword-only) arguments?: (?<wanted>.{1,160})/,
    ],
    applies: ({ name = '' }) => !/(?:Error|Exception)\.__init__$/.test(name),
    title: 'the call of {name} has other parameters than the function: {wanted}',
    fix: 'give the parameter a default, or send it with the call',
  },
  {
    cause: 'wrong-arguments',
    rank: 2,
    signs: [/^TypeError: (?<name>[\w.]{1,80})\(\) got an unexpected keyword argument (?<wanted>'\w{1,80}')/],
    title: '{name} has no parameter {wanted}',
    fix: 'add the parameter to {name}, or do not send it; if {name} is of a package, pin that to the version that the code was written for',
  },
  {
    cause: 'shared-memory-full',
    signs: [
      /out of shared memory|insufficient shared memory/,
      /(?:by signal: Bus error|^Bus error)/,
      ...endedBy(7, 'SIGBUS'),
    ],
    title: 'the shared memory of the container is full',
    fix: 'set num_workers=0 for the DataLoader, or use the file_system sharing strategy',
  },
  ...Object.entries(added).map(([version, names]) => ({
    cause: 'python-version-unsupported',
    signs: [
      new RegExp(`^ImportError: cannot import name '(?<name>${names})' from '(?:${places})'`),
      new RegExp(`^AttributeError: (?:module|type object) '(?:${places})' has no attribute '(?<name>${names})'`),
    ],
    title: `the code uses {name}, which Python has since ${version} only`,
    fix: `set python_version to ${version} or newer, or use an older version of the package that imports {name}`,
    at: 'deployment.python_version',
  })),
  {
    cause: 'python-version-unsupported',
    signs: [
      /^\s*AttributeError: (?:module '(?:inspect|asyncio|pkgutil|configparser)'|'\w{1,40}(?:Importer|Finder|Loader|Parser)' object) has no attribute '(?<name>getargspec|coroutine|ImpImporter|readfp|SafeConfigParser|find_module)'/,
    ],
    title: 'the code uses {name}, which newer versions of Python do not have',
    fix: 'update the package that uses it, or set python_version to an older one, such as 3.10',
    at: 'deployment.python_version',
  },
  {
    cause: 'python-version-unsupported',
    signs: [
      /^TypeError: '(?:type|ABCMeta|_abc\.ABCMeta)' object is not subscriptable/,
      /ForwardRef\._evaluate\(\) missing 1 required keyword-only argument: 'recursive_guard'/,
      /pydantic\.(?:v1\.)?errors\.ConfigError: unable to infer type for attribute/,
      /Please use `typing_extensions\.TypedDict` instead of `typing\.TypedDict` on Python < 3\.12/,
      /^TypeError: unsupported operand type\(s\) for \|: '(?:type|NoneType|ABCMeta|_GenericAlias|_SpecialForm|ModelMetaclass)' and /,
    ],
    title: 'the code, or a package, does not fit the Python of the app',
    fix: 'set python_version to one that they were made for (X | None needs 3.10 or newer), or update the packages (pydantic 1 does not fit new versions of Python)',
    at: 'deployment.python_version',
  },
  {
    cause: 'package-api-changed',
    inFiles: true,
    signs: [
      /^AttributeError: Can't get attribute '(?<name>\w{1,80})' on <module '(?<module>[\w.]{1,80})'/,
      ...texts(`ModuleNotFoundError: No module named 'numpy._core; is not a known BitGenerator module;
        node array from the pickle has an incompatible dtype`),
    ],
    title: 'a pickled file was written with other versions of the packages, or with classes that the app does not have',
    fix: 'pin numpy, scikit-learn and the others to the versions that wrote the file, or write it again; classes of __main__ belong in a module',
    at: 'dependencies.pip',
  },
  {
    // The warning alone stops nothing.
    cause: 'package-api-changed',
    rank: 5,
    signs: [
      /^AttributeError: '(?<object>\w{1,80})' object has no attribute/,
      /\b(?:[Ff]ailed|[Cc]ould not|[Uu]nable) to load model/,
      /\b(?:[Ff]ailed|[Cc]ould not|[Uu]nable) to load the model|\bCould not load the model/,
    ],
    after: /Trying to unpickle estimator|loading a serialized model/,
    title: 'the model was saved with another version of its package than the installed one: {object}',
    fix: 'install the version that saved it (pip list there shows it), or save the model again with the installed one',
    at: 'dependencies.pip',
  },
  {
    cause: 'package-api-changed',
    signs: [/^TypeError: unhashable type: 'dict'/],
    after: /\/starlette\/templating\.py/,
    title: 'the code calls TemplateResponse as older versions of starlette had it',
    fix: 'give the request first: TemplateResponse(request, name, context); or pin starlette = "<0.29"',
    at: 'dependencies.pip.starlette',
  },
  {
    cause: 'package-api-changed',
    signs: [
      /^TypeError: argument of type 'bool' is not iterable/,
      /PydanticSchemaGenerationError: Unable to generate .{0,40}starlette\.requests\.Request/,
    ],
    after: /\/gradio(?:_client)?\//,
    title: 'gradio does not fit the installed pydantic or fastapi',
    fix: 'update gradio, or pin pydantic = "==2.10.6" and fastapi = "<0.113"',
    at: 'dependencies.pip.pydantic',
  },
  {
    cause: 'package-api-changed',
    rank: 5,
    signs: [/When localhost is not accessible, a shareable link must be created/],
    applies: (_, __, before) =>
      before().some((line) => /argument of type 'bool' is not iterable|unhashable type: 'dict'/.test(line)),
    title: 'gradio does not fit the installed pydantic or starlette',
    fix: 'update gradio, or pin pydantic = "==2.10.6"',
    at: 'dependencies.pip.pydantic',
  },
];
