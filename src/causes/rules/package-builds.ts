import { type FailureRule, rows } from '../rule.ts';

const needsFirst =
  'install {package|it} first, in pre_build_commands, with --no-build-isolation for the package; of pkg_resources, setuptools<82 has it';

/** Packages that are built from their source or come from Git. */
export const packageBuildRules: readonly FailureRule[] = [
  ...rows`
5 package-build-failed | No module named 'setuptools.command.test; module 'setuptools.command.{name}' has no attribute; cannot import name 'Feature' from 'setuptools; setup command: use_2to3 is invalid | a package is built with a setuptools that no longer has what its setup.py uses | build it with an older one: setuptools<72 (<80 for easy_install, <58 for use_2to3, <46 for Feature) in a file that PIP_CONSTRAINT names, or use a newer version of the package | dependencies.pip
5 package-build-failed | identifier "__hmax2" is undefined; identifier "half" is undefined | {built|a package} is compiled for GPUs that are older than its CUDA code allows | name the GPUs to compile for (CMAKE_ARGS=-DCMAKE_CUDA_ARCHITECTURES=80), or use a wheel or another version | dependencies.pip
5 compiler-missing | go-sqlite3/…undefined: SQLite; go-sqlite3 requires cgo to work | go-sqlite3 has code in C, and cgo is off in the build | set CGO_ENABLED=1 and install gcc (build-base on Alpine), or use modernc.org/sqlite
package-layout-invalid | Multiple top-level packages discovered in a flat-layout: {found…}; Multiple top-level modules discovered in a flat-layout: {found…}; No file/folder found for package {found}; Unable to determine which files to ship inside the wheel; Readme file does not exist: {found}; Readme path must be within the project directory; Readme path \`{found}\` does not exist; Expected a Python module at: \`{found}\` | the project itself cannot be installed as a package: {said} | install only what it needs (poetry install --no-root, uv sync --no-install-project), or copy its files into its folder before; name its folders in pyproject.toml: [tool.setuptools] packages = ["..."]
5 package-layout-invalid | setuptools-scm was unable to detect version; setuptools_scm was unable to detect version | the version of the project comes from git, and the image has no .git folder | set SETUPTOOLS_SCM_PRETEND_VERSION=0.0.0 in the build, or copy .git there, which .dockerignore may leave out
5 wrong-architecture | unrecognized command-line option ‘-msse; unrecognized command-line option ‘-mavx | a package has no wheel for this processor, and its code is written for x86 | use a version with a wheel for it, or build for --platform linux/amd64 | dependencies.pip
tool-version-wrong | No such file or directory: '/tmp/pip-install-…/{package}/setup.py' | the installed pip is too old for {package}, which has no setup.py and wheels that it does not know | update pip before: pip install --upgrade pip
git-missing | Cannot find command 'git'; Git executable not found | a requirement is in a Git repository, and the image has no git | add git to [cerebrium.dependencies.apt]: git = "latest" | dependencies.apt
git-access-denied | fatal: could not read Username for; fatal: could not read Password for; Host key verification failed; fatal: repository '…' not found; fatal: Authentication failed for; Permission denied (publickey; remote: Repository not found; Support for password authentication was removed | the Git repository of a requirement needs a login | put a token from a secret into its URL, or copy the package into the app folder | dependencies.pip
git-ref-not-found | pathspec '{ref}' did not match; Remote branch {ref} not found; couldn't find remote ref {ref} | the Git repository of a requirement has no {ref} | use a branch, tag or commit that exists | dependencies.pip
5 system-library-missing | pkg-config is required; pkg-config is not installed; pkg-config: not found; pkg-config: command not found | a package has to be compiled, and the image has no pkg-config to find its libraries | add pkg-config to [cerebrium.dependencies.apt], and the library with its headers, whose name ends in -dev | dependencies.apt
5 system-library-missing | mysql_config: not found; mysql_config not found; mysql_config --version: not found; Can not find valid pkg-config name; Specify MYSQLCLIENT_CFLAGS | mysqlclient has to be compiled, and the image lacks the library of MySQL | add pkg-config, default-libmysqlclient-dev and build-essential to [cerebrium.dependencies.apt], or use pymysql instead | dependencies.apt
compiler-missing | unable to execute {|'}{tool}{|'}: No such file or directory; No such file or directory: '{tool=gcc|g++|cc|c++|clang|cmake|make|ninja|cargo|rustc|swig|gfortran}'; error: command '{tool}' failed: No such file or directory; error: can't find {tool=Rust} compiler;
  {tool=Cargo}, the Rust package manager, is not installed; {tool=CMake} must be installed to build; /(?<tool>CMake) is not installed on your system/i; /(?<tool>cmake) (?:is )?(?:not found|required)/; Unknown compiler(s): [['{tool}'; unable to find a build program corresponding to "{tool…}";
  No CMAKE_C{|XX}_COMPILER could be found; /(?<![\w-])(?<tool>gcc|g\+\+|cc|make|cmake|ninja|cargo|swig): (?:command )?not found/; C compiler "{tool=gcc|clang}" not found; gyp ERR! find {tool=Python}; linker \`{tool=cc}\` not found; find any {tool=Python} installation
  | {built|a package} has to be compiled, and the image has no compiler for it: {tool} | use a version of the package with a wheel, or add build-essential (or cmake, ninja-build, rustc and cargo, swig) to [cerebrium.dependencies.apt]; on Alpine: apk add build-base | dependencies.apt
5 system-library-missing | fatal error: {|'}{header}{|'}{: No such file or directory| file not found}; {header=pg_config} executable not found; No package '{header}' found; Package {header} was not found in the pkg-config search path; Dependency "{header}" not found; ld: cannot find -l{header}
  | {built|a package} has to be compiled, and the image lacks a library or header that it needs: {header} | add {package|the library with its headers, whose name ends in -dev, such as libpq-dev,} to [cerebrium.dependencies.apt] | dependencies.apt
`,
  {
    cause: 'build-dependency-missing',
    rank: 3,
    only: 'build',
    signs: [
      /^\s{0,40}ModuleNotFoundError: No module named '(?<module>[\w.]{1,100})'/,
      /depends on `(?<module>[\w-]{1,80})`/,
      /`(?<package>[\w.-]{1,80})` .{0,120}but doesn't declare it as a build dependency/,
    ],
    after:
      /pip subprocess|subprocess-exited-with-error|Getting requirements to build|build_wheel|prepare_metadata|\[stderr\]|egg_info|error: subprocess/,
    title: 'building a package needs {module}, which is installed later',
    fix: needsFirst,
    at: 'deployment.pre_build_commands',
  },
  ...rows`
2 package-build-failed | ERROR: Failed building wheel for {package}; /^ERROR: (?:Failed to build installable|Could not build) wheels for (?:some pyproject\.toml based projects \()?(?<package>[\w.-]{1,80})/; ^Command … failed with error code … in /tmp/pip-…/{package}{|/}$;
  × … did not run successfully; An error occurred while {building|configuring} with CMake; ninja: build stopped:; error: subprocess-exited-with-error; Failed to build \`{package}\`; Error building extension ';
  Error compiling objects for extension; *** CMake build failed; error: metadata-generation-failed; legacy-install-failure; ERROR: Command errored out with exit status
  | {package|a package} has no wheel that fits, and building it fails | correct what the build names above, or use a version with a wheel | dependencies.pip
3 package-build-failed | after /did not run successfully|build backend returned an error/: /^\s{2,24}(?<problem>(?!ModuleNotFound|Syntax)[\w.]{0,60}(?:Error|Exception): .{1,160})/ | building {built|a package} fails: {problem} | use a version with a wheel, or one for this Python; of the project itself, correct what the message names | dependencies.pip
`,
  {
    // What setup.py files import: pip indents what they print.
    cause: 'build-dependency-missing',
    signs: [
      /^ {6,20}ModuleNotFoundError: No module named '(?<module>pkg_resources|setuptools|wheel|numpy|torch|Cython|packaging|pybind11|poetry)'/,
    ],
    title: 'building a package needs {module}, which is installed later',
    fix: needsFirst,
    at: 'deployment.pre_build_commands',
  },
  ...rows`
3 build-dependency-missing | BackendUnavailable: Cannot import '{module}'; {ERROR|error}: …Cannot import '{module}'; error: invalid command 'bdist_{module=wheel}' | building a package needs {module}, which is not installed | list it in [build-system] requires of its pyproject.toml, or install it in pre_build_commands | deployment.pre_build_commands
`,
];
