import type { FailureRule } from '../rule.ts';

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

export const pythonVersionRules: readonly FailureRule[] = [
  ...Object.entries(added).map(([version, names]) => ({
    cause: 'python-version-unsupported',
    rank: 4,
    signs: {
      'cannot import name': new RegExp(`^ImportError: cannot import name '(?<name>${names})' from '(?:${places})'`),
      'has no attribute': new RegExp(
        `^AttributeError: (?:module|type object) '(?:${places})' has no attribute '(?<name>${names})'`,
      ),
    },
    title: `the code uses {name}, which Python has since ${version} only`,
    fix: `set python_version to ${version} or newer, or use an older version of the package that imports {name}`,
    at: 'deployment.python_version',
  })),
  {
    cause: 'python-version-unsupported',
    rank: 4,
    signs: {
      'has no attribute':
        /^\s*AttributeError: (?:module '(?:inspect|asyncio|pkgutil|configparser)'|'\w{1,40}(?:Importer|Finder|Loader|Parser)' object) has no attribute '(?<name>getargspec|coroutine|ImpImporter|readfp|SafeConfigParser|find_module)'/,
    },
    title: 'the code uses {name}, which newer versions of Python do not have',
    fix: 'update the package that uses it, or set python_version to an older one, such as 3.10',
    at: 'deployment.python_version',
  },
  {
    cause: 'python-version-unsupported',
    rank: 4,
    signs: {
      'object is not subscriptable': /^TypeError: '(?:type|ABCMeta|_abc\.ABCMeta)' object is not subscriptable/,
      recursive_guard: /ForwardRef\._evaluate\(\) missing 1 required keyword-only argument: 'recursive_guard'/,
      'unable to infer type for attribute':
        /pydantic\.(?:v1\.)?errors\.ConfigError: unable to infer type for attribute/,
      'on Python < 3.12': /Please use `typing_extensions\.TypedDict` instead of `typing\.TypedDict` on Python < 3\.12/,
    },
    title: 'the code, or a package, does not fit the Python of the app',
    fix: 'set python_version to one that the packages were made for, or update them (pydantic 1 does not fit new versions of Python)',
    at: 'deployment.python_version',
  },
  {
    cause: 'package-api-changed',
    rank: 4,
    signs: {
      "Can't get attribute":
        /^AttributeError: Can't get attribute '(?<name>\w{1,80})' on <module '(?<module>[\w.]{1,80})'/,
      'numpy._core': /ModuleNotFoundError: No module named 'numpy\._core/,
      'is not a known BitGenerator': /is not a known BitGenerator module/,
      'has an incompatible dtype': /node array from the pickle has an incompatible dtype/,
    },
    title: 'a pickled file was written with other versions of the packages, or with classes that the app does not have',
    fix: 'pin numpy, scikit-learn and the others to the versions that wrote the file, or write it again; classes of __main__ belong in a module',
    at: 'dependencies.pip',
  },
  {
    cause: 'package-api-changed',
    rank: 4,
    signs: {
      'this version of jax requires': /jaxlib .{0,60}this version of jax requires/,
      'incompatible with jax version': /jaxlib version \S{1,20} is newer than and incompatible with jax version/,
    },
    title: 'jax and jaxlib do not fit together',
    fix: 'install both in one step from one release: jax[cuda12] of the version that you want',
    at: 'dependencies.pip.jax',
  },
  {
    cause: 'package-api-changed',
    rank: 4,
    signs: { "argument of type 'bool' is not iterable": /^TypeError: argument of type 'bool' is not iterable/ },
    after: /gradio_client\/utils\.py/,
    title: 'gradio does not fit the installed pydantic',
    fix: 'update gradio, or pin pydantic = "==2.10.6"',
    at: 'dependencies.pip.pydantic',
  },
  {
    cause: 'package-api-changed',
    rank: 5,
    signs: { 'When localhost is not accessible': /When localhost is not accessible, a shareable link must be created/ },
    applies: (_, __, before) =>
      before().some((line) => /argument of type 'bool' is not iterable|unhashable type: 'dict'/.test(line)),
    title: 'gradio does not fit the installed pydantic or starlette',
    fix: 'update gradio, or pin pydantic = "==2.10.6"',
    at: 'dependencies.pip.pydantic',
  },
  {
    cause: 'network-failed',
    rank: 4,
    signs: { 'When localhost is not accessible': /When localhost is not accessible, a shareable link must be created/ },
    title: 'gradio does not reach its own server: a proxy stands between, or its page fails',
    fix: 'set NO_PROXY=localhost,127.0.0.1,0.0.0.0, and start it with server_name="0.0.0.0"; if its page fails, update gradio',
  },
];
