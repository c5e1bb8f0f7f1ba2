import { pinnedVersion } from '../../../project/wheels.ts';
import type { FailureRule } from '../rule.ts';

const unsatisfied =
  /^ERROR: Could not find a version that satisfies the requirement (?<package>[\w.-]{1,80})(?:\[[^\]]{0,80}\])? {0,2}(?<wanted>[<>=!~][^()]{1,60}?)?(?:;[^()]{0,120}?)? \((?:from (?!versions)[^()]{1,120}\) ?\()?from versions: (?!none)\S/;
const installed = /^Successfully installed |^Installed \d+ packages? in /;

/** pip, uv and the tools that they start to build packages. */
export const packageRules: readonly FailureRule[] = [
  {
    cause: 'package-index-unreachable',
    rank: 4,
    signs: {
      'Retrying (Retry(': /^WARNING: Retrying \(Retry\(.*after connection broken by '(?<reason>[^':(]{1,80})/,
      'Could not fetch URL': /^Could not fetch URL \S{1,300}: (?<reason>.{1,120})/,
      'Failed to fetch: `': /Failed to fetch: `\S{1,300}`/,
      'Read timed out': /^(?:ERROR: |\s{0,20})?(?:pip\._vendor\.|urllib3\.).{0,80}ReadTimeoutError/,
      'Request failed after': /^\s*(?:error|╰─▶|├─▶|×) ?.{0,20}Request failed after \d+ retr/,
    },
    undoneBy: installed,
    title: 'the package index cannot be reached',
    fix: 'check the address of the index and its certificate, or deploy again if the index was down',
    at: 'dependencies.pip',
  },
  {
    cause: 'package-index-denied',
    rank: 5,
    signs: {
      '401':
        /^(?:ERROR: |\s{0,20}).{0,200}(?:401 (?:Client )?Error|HTTP error 401|(?<!status: )401 Unauthorized|status client error \(401)/i,
      '403':
        /^(?:ERROR: |\s{0,20}).{0,60}(?:HTTP error 403|403 Client Error: Forbidden for url: \S{0,200}simple|status client error \(403)/i,
      credentials:
        /^\s{0,20}(?:hint: |╰─▶ )?.{0,80}(?:index|indexes) .{0,80}(?:returned a 401|Unauthorized|Forbidden|could not be queried due to a lack of valid authentication)/i,
      'User for ': /^User for [\w.:-]{1,120}: /,
    },
    only: 'build',
    undoneBy: installed,
    title: 'the package index refuses the login',
    fix: 'add the login to the address of the index, from a secret that the build can read',
    at: 'dependencies.pip',
  },
  {
    cause: 'package-renamed',
    rank: 5,
    signs: {
      'PyPI package is deprecated':
        /The '(?<package>[\w.-]{1,80})' PyPI package is deprecated, use '(?<other>[\w.-]{1,80})'/,
    },
    title: '{package} on PyPI is only a placeholder for {other}',
    fix: 'list {other} instead of {package}',
    at: 'dependencies.pip.{package}',
  },
  {
    cause: 'python-version-unsupported',
    rank: 4,
    signs: {
      'requires a different Python':
        /ackage '?(?<package>[\w.-]{1,80})'? requires a different Python: (?<python>[\d.]{1,12}) not in '(?<wanted>[^']{1,60})'/,
      'is not a supported wheel on this platform':
        /^ERROR: (?<package>[\w.]{1,80})-[\w.+!]{1,40}-(?:\d{1,3}\w{0,20}-)?(?<tag>cp\d{2,3}|pp\d{2,3})-[\w.]{1,40}-(?:manylinux|linux|any)\S{0,80} is not a supported wheel/,
      'does not satisfy Python':
        /current Python version \((?<python>[\d.]{1,12})\) does not satisfy Python(?<wanted>[<>=!~\d.,*]{1,40})(?: and (?<package>[\w.-]{1,80}?)(?:==\S{1,40})? depends on Python)?/,
      'wheels with a matching Python':
        /(?<![\w.-])(?<package>[\w.-]{1,80})(?:==(?<version>[\w.+!]{1,40}))? (?:has|have) no wheels with a matching Python (?:ABI|version|implementation) tag/,
      "has no attribute 'ImpImporter'": /^\s*AttributeError: module 'pkgutil' has no attribute 'ImpImporter'/,
      "No module named 'distutils'": /^\s*ModuleNotFoundError: No module named 'distutils'/,
    },
    undoneBy: installed,
    title: '{package|a package} is not made for the Python version of the app',
    fix: 'set python_version to one that it supports, or use another version of {package|the package}',
    at: 'deployment.python_version',
  },
  {
    cause: 'python-version-unsupported',
    rank: 4,
    signs: { 'Could not find a version that satisfies the requirement': unsatisfied },
    // pip lists all versions that it ignored, also if the wanted one does not exist.
    applies: ({ wanted = '' }, _, before) => {
      const ignored = before().find((line) => line.includes('versions that require a different python version'));
      const version = pinnedVersion(wanted);
      return ignored !== undefined && (version === undefined || ignored.includes(` ${version} Requires-Python`));
    },
    undoneBy: installed,
    title: '{package} {wanted} needs another Python',
    fix: 'set python_version to one that it supports, or use another version of {package}',
    at: 'deployment.python_version',
  },
  {
    cause: 'wrong-architecture',
    rank: 4,
    signs: {
      'is not a supported wheel on this platform':
        /^ERROR: (?<package>[\w.]{1,80})-[\w.+!]{1,40}-\w{1,40}-\w{1,40}-(?:macosx|win|musllinux|manylinux\w{0,20}_(?:aarch64|arm))\S{0,80} is not a supported wheel/,
      'wheels with a matching platform tag':
        /(?<![\w.-])(?<package>[\w.-]{1,80})(?:==[\w.+!]{1,40})? (?:has|have) no wheels with a matching platform tag/,
    },
    undoneBy: installed,
    title: '{package} is not made for linux/amd64',
    fix: 'remove it, or use a version with wheels for Linux',
    at: 'dependencies.pip.{package}',
  },
  {
    cause: 'dependency-conflict',
    rank: 3,
    signs: {
      'because these package versions have conflicting dependencies':
        /^ERROR: Cannot install (?<packages>.{1,200}) because these package versions have conflicting dependencies/,
      ResolutionImpossible: /^ERROR: ResolutionImpossible/,
      'Double requirement given': /^ERROR: Double requirement given: (?<packages>.{1,120})/,
    },
    undoneBy: installed,
    title: 'the packages need different versions of one package',
    fix: 'loosen the versions in [cerebrium.dependencies.pip] so that one version fits all',
    at: 'dependencies.pip',
  },
  {
    cause: 'dependency-conflict',
    // uv ends every failed resolution with it, whatever the cause.
    rank: 1,
    signs: { 'your requirements are unsatisfiable': /we can conclude that your requirements are unsatisfiable/ },
    undoneBy: installed,
    title: 'the packages need different versions of one package',
    fix: 'loosen the versions in [cerebrium.dependencies.pip] so that one version fits all',
    at: 'dependencies.pip',
  },
  {
    cause: 'package-version-not-found',
    rank: 3,
    signs: {
      'Could not find a version that satisfies the requirement': unsatisfied,
      'there is no version of':
        /there is no version of (?<package>[\w.-]{1,80}?)(?:\[[^\]]{0,80}\])?(?<wanted>[<>=!~]\S{1,60})/,
      'only the following versions of': /only the following versions of (?<package>[\w.-]{1,80}) are available/,
      'only the following version of': /Because only .{0,40}versions? of (?<package>[\w.-]{1,80}) (?:is|are) available/,
      'are available and you require':
        /(?<![\w.-])(?<package>[\w.-]{1,80})(?<wanted>[<>=!~]\S{1,40}) .{0,60}are available and you require/,
    },
    undoneBy: installed,
    title: 'the package index has no {package} {wanted} for this system',
    fix: 'use a version that exists: pip index versions {package}',
    at: 'dependencies.pip.{package}',
  },
  {
    cause: 'package-not-found',
    rank: 2,
    signs: {
      'Could not find a version that satisfies the requirement':
        /^ERROR: Could not find a version that satisfies the requirement (?<package>[\w.-]{1,80}).{0,120}\(from versions: none\)/,
      'No matching distribution found for': /^ERROR: No matching distribution found for (?<package>[\w.-]{1,80})/,
      'was not found in the package registry':
        /(?<![\w.-])(?<package>[\w.-]{1,80}) was not found in the package registry/,
      'not found in the provided package locations':
        /(?<![\w.-])(?<package>[\w.-]{1,80}) was not found in the provided package locations/,
    },
    undoneBy: installed,
    title: 'the package index has no {package} for this system',
    fix: 'correct the name of {package}, or add the index that has it',
    at: 'dependencies.pip.{package}',
  },
  {
    cause: 'requirements-file-missing',
    rank: 4,
    signs: {
      'Could not open requirements file': /^ERROR: Could not open requirements file: .{0,80}'(?<path>[^']{1,200})'/,
      'File not found: ': /^error: File not found: `?(?<path>[^`]{1,200})/,
    },
    title: '{path} is not in the app',
    fix: 'add {path} to the app folder and to include',
    at: 'dependencies.paths.pip',
  },
  {
    cause: 'requirement-invalid',
    rank: 4,
    signs: {
      'Invalid requirement': /^(?:ERROR: )?.{0,40}Invalid requirement: (?<line>.{1,160})/,
      "Couldn't parse requirement": /^error: Couldn't parse requirement in `(?<path>[^`]{1,120})`/,
      "neither 'setup.py' nor 'pyproject.toml' found":
        /^ERROR: .{1,200}(?:does not appear to be a Python project|neither 'setup.py' nor 'pyproject.toml' found)/,
      'does not appear to be a Python project': /does not appear to be a Python project/,
      'is not installable': /^ERROR: Directory .{1,200} is not installable/,
      "No such file or directory: '/":
        /^ERROR: Could not install packages due to an OSError: \[Errno 2\] No such file or directory: '(?<path>[^']{1,200})'/,
      'Expected one of': /^\s*Expected one of `@`, `\(`, `<`/,
    },
    undoneBy: installed,
    title: 'a requirement is not valid',
    fix: 'write it as name==1.2, name>=1.0,<2 or name',
    at: 'dependencies.pip',
  },
  {
    cause: 'hash-mismatch',
    rank: 4,
    signs: {
      'DO NOT MATCH THE HASHES': /THESE PACKAGES DO NOT MATCH THE HASHES/,
      'Hash mismatch for': /Hash mismatch for `(?<package>[^`]{1,80})`/,
    },
    title: 'a downloaded package does not have the expected hash',
    fix: 'update the --hash of the requirement; if it was right, somebody has changed the package',
    at: 'dependencies.paths.pip',
  },
  {
    cause: 'compiler-missing',
    rank: 4,
    signs: {
      "command 'gcc' failed":
        /error: command '(?<tool>\S{0,40}(?:gcc|g\+\+|cc|c\+\+|clang))' failed: No such file or directory/,
      "No such file or directory: 'gcc'": /No such file or directory: '(?<tool>gcc|g\+\+|cc|cmake|make|cargo)'/,
      'failed: No such file or directory': /error: command '(?<tool>[\w./+-]{1,60})' failed: No such file or directory/,
      'find Rust compiler': /error: can't find (?<tool>Rust) compiler/,
      'Rust, and Cargo': /(?<tool>Cargo), the Rust package manager, is not installed/,
      'CMake must be installed': /(?<tool>CMake) must be installed to build/,
      'CMake is not installed': /(?<tool>CMake) is not installed on your system/i,
      'requires: cmake': /(?<tool>cmake) (?:is )?(?:not found|required)/i,
      'No CMAKE_C': /No CMAKE_C(?:XX)?_COMPILER could be found/,
      'gcc: not found': /\b(?<tool>gcc|g\+\+|cc|make|cmake): (?:command )?not found/,
    },
    undoneBy: installed,
    title: 'a package has to be compiled, and the image has no compiler for it',
    fix: 'use a version of the package with a wheel, or add build-essential (cmake, rustc, cargo) to [cerebrium.dependencies.apt]',
    at: 'dependencies.apt',
  },
  {
    cause: 'system-library-missing',
    rank: 5,
    signs: {
      'fatal error: ': /fatal error: (?<header>[\w./+-]{1,100}\.h(?:pp)?): No such file or directory/,
      'pg_config executable not found': /pg_config executable not found/,
      'pkg-config':
        /Can not find valid pkg-config name|pkg-config is (?:required|not installed)|No package '(?<header>[^']{1,60})' found/,
      'pkg-config: not found': /pkg-config: (?:command )?not found/,
      mysql_config: /mysql_config(?: --version)?:? not found|Specify MYSQLCLIENT_CFLAGS/,
      'Dependency "': /Dependency "(?<header>[^"]{1,60})" not found/,
    },
    undoneBy: installed,
    title: 'a package has to be compiled, and the image lacks a library that it needs',
    fix: 'add the library with its headers to [cerebrium.dependencies.apt]: names end in -dev, such as libpq-dev',
    at: 'dependencies.apt',
  },
  {
    cause: 'build-dependency-missing',
    rank: 3,
    only: 'build',
    signs: {
      'ModuleNotFoundError: No module named': /^\s{1,40}ModuleNotFoundError: No module named '(?<module>[\w.]{1,100})'/,
      'is not installed in the build environment':
        /depends on `(?<module>[\w-]{1,80})`|`(?<package>[\w.-]{1,80})` .{0,120}but doesn't declare it as a build dependency/,
    },
    after:
      /pip subprocess|subprocess-exited-with-error|Getting requirements to build|build_wheel|prepare_metadata|\[stderr\]|egg_info|error: subprocess/,
    undoneBy: installed,
    title: 'building a package needs {module}, which is installed later',
    fix: 'install {module} first, in pre_build_commands, or use a wheel of the package',
    at: 'deployment.pre_build_commands',
  },
  {
    cause: 'package-build-failed',
    rank: 2,
    signs: {
      'Failed building wheel for': /ERROR: Failed building wheel for (?<package>[\w.-]{1,80})/,
      'Failed to build installable wheels':
        /^ERROR: (?:Failed to build installable|Could not build) wheels for (?<package>[\w.-]{1,80})/,
      'metadata-generation-failed': /^error: metadata-generation-failed/,
      'subprocess-exited-with-error': /^\s*error: subprocess-exited-with-error/,
      'Failed to build `': /Failed to build `(?<package>[^`]{1,80})`/,
      'legacy-install-failure': /legacy-install-failure/,
      'python setup.py egg_info': /^ERROR: Command errored out with exit status/,
    },
    undoneBy: installed,
    title: 'a package has no wheel for this Python, and building it fails',
    fix: 'use a version with a wheel, or another python_version',
    at: 'dependencies.pip',
  },
  {
    cause: 'git-missing',
    rank: 4,
    signs: {
      "Cannot find command 'git'": /Cannot find command 'git'/,
      'Git executable not found': /Git executable not found/i,
    },
    title: 'a requirement is in a Git repository, and the image has no git',
    fix: 'add git to [cerebrium.dependencies.apt]: git = "latest"',
    at: 'dependencies.apt',
  },
  {
    cause: 'git-access-denied',
    rank: 4,
    signs: {
      'could not read Username': /fatal: could not read (?:Username|Password) for/,
      'Authentication failed': /fatal: Authentication failed for/,
      'Permission denied (publickey': /Permission denied \(publickey/,
      'Repository not found': /remote: Repository not found/,
    },
    title: 'the Git repository of a requirement needs a login',
    fix: 'use a token in its address, from a secret, or copy the package into the app folder',
    at: 'dependencies.pip',
  },
  {
    cause: 'git-ref-not-found',
    rank: 4,
    signs: {
      'did not match any file(s) known to git': /pathspec '(?<ref>[^']{1,120})' did not match/,
      'Remote branch': /Remote branch (?<ref>\S{1,120}) not found/,
      "couldn't find remote ref": /couldn't find remote ref (?<ref>\S{1,120})/,
    },
    title: 'the Git repository of a requirement has no {ref}',
    fix: 'use a branch, tag or commit that exists',
    at: 'dependencies.pip',
  },
];
