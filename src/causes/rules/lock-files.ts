import { type FailureRule, messageRows, texts } from '../rule.ts';

/** Lock files, and the versions that a project wants of its tools and of Python. */
export const lockFileRules: readonly FailureRule[] = [
  ...messageRows(`
tool-version-wrong | ^This installer is deprecated; error:0308010C:digital envelope routines::unsupported; invalid go version '{what}': must match; package {what} is not in GOROOT; package {what} is not in std | a tool of the build is too old, or too new, for the project: {said} | for Poetry, use pip install poetry or install.python-poetry.org; for webpack, Node 16 or NODE_OPTIONS=--openssl-legacy-provider; for Go, the version that go.mod names | deployment.shell_commands
python-version-unsupported | Current Python version ({python}) is not allowed by the project ({wanted…}); activated Python version {python} is not supported by the project ({wanted…}); No interpreter found for Python {wanted}; incompatible with the project's Python requirement: \`{wanted…}\` | the project wants Python {wanted}, which the image does not have | set python_version to one that the project allows, or use a base image with that Python | deployment.python_version
tool-version-wrong | Required uv version \`{wanted}\` does not match the running version \`{found}\` | the project wants uv {wanted}, and the image has {found} | install that version of uv in the image, or change the version that pyproject.toml requires
tool-version-wrong | This project requires Poetry {wanted}, but you are using Poetry {found} | the project wants Poetry {wanted}, and the image has {found} | install that version of Poetry in the image, or change the version that pyproject.toml requires
tool-version-wrong | The "{wanted}" option does not exist; The requested command {wanted} does not exist | the Poetry of the image has no {wanted} | install the version of Poetry that the command was written for (poetry<2), or use --without dev for --no-dev; export is a plugin since 2.0
requirements-file-missing | No \`{path}\` found in current directory; Poetry could not find a {path} file; ^EnvironmentFileNotFound: '{path}' file not found | {path} is not in the app, or not in the folder where the command runs | add {path} to the app folder and to include, or copy it in the Dockerfile before the command | deployment.include
lock-file-outdated | The lockfile at \`{path}\` needs to be updated, but | the lock file {path} does not fit the packages that the project lists, or is locked for another index | write it again with uv lock, and send it with the app; with another index (--default-index), use --frozen instead of --locked
environment-missing | No virtual environment found | uv needs a virtual environment, and none was found | add --system to the command (or set UV_SYSTEM_PYTHON=1), or make one with uv venv before it
dependency-conflict | ResolutionTooDeep; resolution-too-deep | pip found no set of versions that fits, among very many | pin the packages with many versions in [cerebrium.dependencies.pip], such as boto3 and those of Google, or write a lock with uv pip compile | dependencies.pip
package-build-failed | AttributeError: cython_sources | this version of PyYAML cannot be built with Cython 3 | use PyYAML 6.0.1 or newer, or update the package that pins an older one | dependencies.pip.pyyaml
lock-file-outdated | lock file is not compatible with the current version of Poetry | the lock file was written by another version of Poetry | install the Poetry that wrote it in the build, or write it again with poetry lock
environment-missing | ensurepip is not; apt install {package}-venv; Could not find an activated virtualenv | the Python of the image cannot make a virtual environment: Debian has that in the package {package|python3}-venv | install {package|python3}-venv in the image before it, or use a python base image | dependencies.apt
6 python-version-unsupported | is newer than PyO3's maximum supported version ({wanted}); only versions {wanted} are supported; but \`{package}\` (…) only has wheels with the following Python; supported Python range (…is not compatible with some of the required packages | {package|a package} has no wheel for the Python of the app, which is newer or older than it allows: {wanted} | set python_version to one that it supports, or use a newer version of the package | deployment.python_version
5 wrong-architecture | only has wheels for the following platform | a package is made for another system only | remove it from the requirements, or add a marker: mlx; sys_platform == "darwin" | dependencies.pip
5 package-not-found | requirement pywin32; requirement pypiwin32; requirement pywinpty; requirement windows-curses; requirement appnope; requirement pyobjc | a requirement is made for Windows or macOS only | remove it from the requirements, or add a marker: pywin32; sys_platform == "win32" | dependencies.pip
5 data-missing | requirement en-core-web-{size}; requirement en_core_web_{size} | the model en_core_web_{size} of spaCy is not on PyPI | list the address of its wheel instead, or run python -m spacy download in the build | dependencies.pip
5 requirement-invalid | Invalid requirement: …\\x00 | the requirements file is saved as UTF-16, which pip cannot read | save it as UTF-8: in PowerShell, Out-File -Encoding utf8 | dependencies.paths.pip
5 requirement-invalid | No such file or directory: '/croot/; No such file or directory: '/home/conda/; No such file or directory: '/tmp/build/80754af9/ | the requirements have paths of conda, which made its packages there | write them again: pip list --format=freeze | dependencies.paths.pip
2 dependency-conflict | ^ERROR: ResolutionImpossible | the packages need different versions of one package | loosen the versions so that one version fits all; the lines above name them | dependencies.pip
2 dependency-conflict | ecause {app} depends on both {problem…}, version solving failed; Because {problem…}, we can conclude that your requirements are unsatisfiable | the packages need different versions of one package: {problem} | loosen the versions so that one version fits all
2 dependency-conflict | npm error peer {package}@"…" from {owner}; npm ERR! peer {package}@"…" from {owner} | {owner} does not fit the {package} of the project | use a version of it that does, or another {package}, and write the lock file again; npm ci --legacy-peer-deps installs both all the same
2 dependency-conflict | is taking longer than usual. You might need to provide | pip tries many versions of the packages, and finds no set that fits in time | pin the packages that it collects again and again above, or write a lock with uv pip compile | dependencies.pip
`),
  {
    cause: 'lock-file-outdated',
    inFiles: true,
    signs: [
      /Unable to find lockfile at `(?<path>[^`]{1,120})`/,
      /Pipfile\.lock \(\w{1,20}\) is out of date|Your Pipfile\.lock .{0,40}is out of date/,
      /can only install packages (?:when|with) your package\.json and \S{1,60} .{0,60}are in sync/,
      ...texts(`changed significantly since poetry.lock was last generated;
        poetry.lock is not consistent with pyproject.toml;
        poetry.lock file is not up to date with the latest changes in pyproject.toml; missing go.sum entry`),
    ],
    title: 'the lock file does not fit the packages that the project lists',
    fix: 'write it again with poetry lock, uv lock, pipenv lock, npm install or go mod tidy, and send it with the app',
  },
  {
    cause: 'dependency-conflict',
    // uv ends every failed resolution with it, whatever the cause.
    rank: 1,
    signs: [
      /version solving failed\.?$/,
      /npm (?:ERR!|error) code ERESOLVE/,
      /we can conclude that your requirements are unsatisfiable/,
    ],
    title: 'the packages need different versions of one package',
    fix: 'loosen the versions so that one version fits all; the lines above name them',
  },
  {
    cause: 'tool-version-wrong',
    signs: [
      /(?<tool>go)(?:\.mod|\.work|: \S{1,120}) requires go >= (?<wanted>[\d.]{1,10}) \(running go (?<found>[\d.]{1,10})/,
      /requires (?<tool>rustc) (?<wanted>[\d.]{1,10}) or newer, while the currently active rustc version is (?<found>[\d.]{1,10})/,
      /(?<tool>CMake) (?<wanted>[\d.]{1,10}) or higher is required\. {1,2}You are running version (?<found>[\d.]{1,10})/,
      /engine "(?<tool>node)" is incompatible with this module\. Expected version "(?<wanted>[^"]{1,60})"\. Got "(?<found>[^"]{1,20})"/,
      /You are using (?<tool>Node)\.js (?<found>[\d.]{1,12}).{1,60}version "?(?<wanted>[>=^ v\d.]{1,20})/,
      /npm (?:ERR!|error) code EBADENGINE/,
    ],
    title: 'the code needs {tool|another Node} {wanted}, and the image has {found|another version}',
    fix: 'use a base image with {tool|the Node} {wanted|that package.json names}, or let the code allow the older one',
    at: 'deployment.docker_base_image_url',
  },
];
