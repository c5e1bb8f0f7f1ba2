import { type FailureRule, rowsIf, rowsWith } from '../rule.ts';
import { isForeignFile, lastFile, lastTraceback } from '../tracebacks.ts';

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

const rows = rowsIf({
  'not by the image': (_, { source }, before) => source !== 'build' && !before().some((line) => killer.test(line)),
  // Who is killed right below an exception has failed before.
  'not below an error': (_, __, before) => !(Number(lastTraceback(before())?.end) > before().length - 6),
  'a function': ({ name = '' }) => !/(?:Error|Exception)\.__init__$/.test(name),
  gradio: (_, __, before) =>
    before().some((line) => /argument of type 'bool' is not iterable|unhashable type: 'dict'/.test(line)),
});

/** Errors of Python, in the code of the app or while it is imported. */
export const pythonRules: readonly FailureRule[] = [
  ...rows`
python-version-unsupported | after /\/pydantic\/fields\.py"/: ^AttributeError: __args__ | the installed pydantic is too old for the Python of the app | update pydantic, or set python_version to an older one | deployment.python_version
`,
  ...rowsWith({
    undoneBy: started,
    applies: (_, __, before) => isForeignFile(lastFile(before())),
  })`
3 python-version-unsupported | /^SyntaxError: (?<problem>(?!f-string|Unexpected (?:token|identifier|strict)).{1,200})/ | an installed package does not fit the Python of the app: {problem} | use versions of it and of what it needs that are made for this Python, or set python_version to one that it was made for | deployment.python_version
`,
  ...rowsWith({ undoneBy: started, own: true })`
3 syntax-error | /^(?:E {1,8})?SyntaxError: (?!.{0,120}\bJSON\b)(?<problem>.{1,200})/; ^IndentationError: {problem…}; ^TabError: {problem…} | a source file has a syntax error: {problem} | correct the line that the traceback names; newer syntax needs a newer python_version, or a newer Node
`,
  ...rowsWith({ undoneBy: started })`
syntax-error | /SyntaxError: (?<problem>f-string.{1,120})/ | a source file has a syntax error: {problem} | set python_version to 3.12 or newer, where an f-string may contain its own quotes and backslashes, or write it without | deployment.python_version
`,
  ...rows`
3 out-of-memory | what():…std::bad_alloc; /^(?:numpy\.\S{0,60}\._?Array)?MemoryError(?::|$)/; Error R1{4|5} (Memory quota {|vastly }exceeded); {O|o}ut of memory: Kill{|ed} process … ({program…}); {R|r}an out of memory (used over; {M|m}emory limit of … …{|was }exceeded; concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly; OSError: [Errno 12] Cannot allocate memory; /OOMKilled(?!"?: ?false)/; excessive memory usage causing the Operating System to kill the worker; DefaultCPUAllocator: can't allocate memory; DefaultCPUAllocator: not enough memory; low on resource: memory | the app ran out of memory | raise memory, or load less at once | hardware.memory
2 out-of-memory | not by the image: /(?:^|[Cc]ommand failed with |non-zero |\b)[Ee]xit(?:ed)?(?: with)? ?(?:exit )?(?:[Cc]ode|status)[:=]? {0,8}(?<killed>137)\b/; /(?:exit ?code[:=] ?|exited with code |returned non-zero exit status )(?<killed>-9)\b/; /\b(?:killed|died)\b.{0,30}\bsignal (?<killed>9)\b/; /(?:ended with|terminated by signal|signal=|exited prematurely: signal 9 \(|died with <Signals\.)(?<killed>SIGKILL)\b/ | the app was killed ({killed}), most often because it ran out of memory | watch its memory until it ends (gantry status, docker stats): only if that reaches the limit, load less or raise memory | hardware.memory
3 out-of-memory | not below an error: /^(?:\S{0,120}: line \d{1,6}: {1,8}\d{1,8} {1,4}|.{0,200}(?:it\/s|s\/it|B\/s|\?)\])?Killed(?: {1,40}\S.{0,200})?$/ | the app ran out of memory | raise memory, or load less at once | hardware.memory
3 segfault | ^{|Fatal Python error: }{S|s}egmentation fault…$; {S|s}egmentation fault…$; :…{|Fatal Python error: }{S|s}egmentation fault…$; ^Extension modules:; double free or corruption; A fatal error has been detected by the Java Runtime; ^free(): invalid {pointer|size|next size}; ^malloc(): {invalid|corrupted|memory corruption|unaligned|unsorted}; ^Floating point exception; corrupted size vs. prev_size; munmap_chunk(): invalid pointer | the program crashed in native code | the cause is probably a package with compiled code: pin it to another version
2 wrong-arguments | a function: ^TypeError: {name}() missing … required {positional|keyword-only} argument{|s}: {wanted…}; ^{name}: missing a required argument: {wanted…} | the call of {name} has other parameters than the function: {wanted} | give the parameter a default, or send it with the call
3 wrong-arguments † | {name}: '{wanted}' parameter is positional only, but was passed as a keyword; ^TypeError: {name}() got some positional-only arguments passed as keyword arguments: '{wanted}' | {name} takes {wanted} by its position only, and a call gives it by its name | remove the / from the parameters of {name}
2 wrong-arguments | /^(?:TypeError: )?(?<name>[\w.]{1,80})(?:\(\)|:) got an unexpected keyword argument (?<wanted>'\w{1,80}')/ | {name} has no parameter {wanted} | add the parameter to {name}, or do not send it; if {name} is of a package, pin that to the version that the code was written for
shared-memory-full | /out of shared memory|insufficient shared memory/; /(?:by signal: Bus error|^Bus error)/; signal 7 SIGBUS | the shared memory of the container is full | set num_workers=0 for the DataLoader, or use the file_system sharing strategy
`,
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
  ...rows`
python-version-unsupported | AttributeError: module '{inspect|asyncio|pkgutil|configparser|ssl|ast}' has no attribute '{name=Str|Num|NameConstant|get_loader|find_loader|wrap_socket|getargspec|coroutine|ImpImporter|readfp|SafeConfigParser|find_module}' | the code uses {name}, which newer versions of Python do not have | update the package that uses it, or set python_version to an older one, such as 3.10 | deployment.python_version
python-version-unsupported | ^TypeError: '{type|ABCMeta|_abc.ABCMeta}' object is not subscriptable; ForwardRef._evaluate() missing 1 required keyword-only argument: 'recursive_guard'; pydantic.{|v1.}errors.ConfigError: unable to infer type for attribute; Please use \`typing_extensions.TypedDict\` instead of \`typing.TypedDict\` on Python < 3.12; ^TypeError: unsupported operand type(s) for |: '{type|NoneType|ABCMeta|_GenericAlias|_SpecialForm|ModelMetaclass}' and | the code, or a package, does not fit the Python of the app | set python_version to one that they were made for (X|None needs 3.10 or newer), or update the packages (pydantic 1 does not fit new versions of Python) | deployment.python_version
package-api-changed † | ^AttributeError: Can't get attribute '{name}' on <module '{module}'; ModuleNotFoundError: No module named 'numpy._core; is not a known BitGenerator module; unsupported pickle protocol: {protocol}; node array from the pickle has an incompatible dtype | a pickled file was written with other versions of the packages, or with classes that the app does not have | pin numpy, scikit-learn and the others to the versions that wrote the file, or write it again; classes of __main__ belong in a module | dependencies.pip
5 package-api-changed | after /Trying to unpickle estimator|loading a serialized model/: ^AttributeError: '{object}' object has no attribute; {Failed|failed|Could not|could not|Unable|unable} to load model; Could not load the model | the model was saved with another version of its package than the installed one: {object} | install the version that saved it (pip list there shows it), or save the model again with the installed one | dependencies.pip
package-api-changed | after /\/starlette\/templating\.py/: ^TypeError: unhashable type: 'dict' | the code calls TemplateResponse as older versions of starlette had it | give the request first: TemplateResponse(request, name, context); or pin starlette = "<1" | dependencies.pip.starlette
package-api-changed | after /\/gradio(?:_client)?\//: ^TypeError: argument of type 'bool' is not iterable; PydanticSchemaGenerationError: Unable to generate …starlette.requests.Request | gradio does not fit the installed pydantic or fastapi | update gradio, or pin pydantic = "==2.10.6" and fastapi = "<0.113" | dependencies.pip.pydantic
5 package-api-changed | gradio: When localhost is not accessible, a shareable link must be created | gradio does not fit the installed pydantic or starlette | update gradio, or pin pydantic = "==2.10.6" | dependencies.pip.pydantic
`,
];
