import type { FailureRule } from '../rule.ts';

/** Lock files, and the versions that a project wants of its tools and of Python. */
export const lockFileRules: readonly FailureRule[] = [
  {
    cause: 'lock-file-outdated',
    rank: 4,
    signs: {
      'since poetry.lock was last generated': /changed significantly since poetry\.lock was last generated/,
      'is not consistent with pyproject.toml': /poetry\.lock is not consistent with pyproject\.toml/,
      'lock file is not up to date': /poetry\.lock file is not up to date with the latest changes in pyproject\.toml/,
      'needs to be updated, but': /The lockfile at `(?<path>[^`]{1,120})` needs to be updated, but/,
      'Unable to find lockfile': /Unable to find lockfile at `(?<path>[^`]{1,120})`/,
      'is out of date': /Pipfile\.lock \(\w{1,20}\) is out of date|Your Pipfile\.lock .{0,40}is out of date/,
      'frozen-lockfile':
        /(?:lockfile needs to be updated, but yarn was run with|ERR_PNPM_OUTDATED_LOCKFILE.{0,80}) .{0,4}"?-?-?frozen-lockfile/,
      'are in sync': /can only install packages (?:when|with) your package\.json and \S{1,60} .{0,60}are in sync/,
    },
    title: 'the lock file does not fit the packages that the project lists',
    fix: 'write it again with poetry lock, uv lock or pipenv lock, and send it with the app',
  },
  {
    cause: 'lock-file-outdated',
    rank: 4,
    signs: {
      'not compatible with the current version of Poetry':
        /lock file is not compatible with the current version of Poetry/,
    },
    title: 'the lock file was written by another version of Poetry',
    fix: 'install the Poetry that wrote it in the build, or write it again with poetry lock',
  },
  {
    cause: 'tool-version-wrong',
    rank: 4,
    signs: {
      'Required uv version':
        /Required (?<tool>uv) version `(?<wanted>[^`]{1,40})` does not match the running version `(?<found>[^`]{1,40})`/,
      'This project requires Poetry':
        /This project requires (?<tool>Poetry) (?<wanted>\S{1,40}), but you are using Poetry (?<found>[\w.]{1,20})/,
    },
    title: 'the project wants {tool} {wanted}, and the image has {found}',
    fix: 'install that version of {tool} in the image, or change the version that pyproject.toml requires',
  },
  {
    cause: 'tool-version-wrong',
    rank: 4,
    signs: {
      'option does not exist': /The "(?<wanted>--[\w-]{1,40})" option does not exist/,
      'requested command': /The requested command (?<wanted>\w{1,40}) does not exist/,
    },
    title: 'the Poetry of the image has no {wanted}',
    fix: 'install the version of Poetry that the command was written for (poetry<2), or use --without dev for --no-dev; export is a plugin since 2.0',
  },
  {
    cause: 'environment-missing',
    rank: 4,
    signs: { 'No virtual environment found': /No virtual environment found/ },
    title: 'uv needs a virtual environment, and none was found',
    fix: 'add --system to the command (or set UV_SYSTEM_PYTHON=1), or make one with uv venv before it',
  },
  {
    cause: 'environment-externally-managed',
    rank: 4,
    signs: {
      'distutils installed project':
        /Cannot uninstall '?(?<package>[\w.-]{1,80}?)'?\. It is a distutils installed project/,
      'no RECORD file was found': /Cannot uninstall (?<package>[\w.-]{1,80}) .{0,40}no RECORD file was found/,
      'RECORD file not found': /Cannot uninstall (?<package>[\w.-]{1,80}) .{0,40}RECORD file not found/,
    },
    title: 'pip may not replace {package}, which belongs to the distribution of the image',
    fix: 'use a python base image, or install into a virtual environment',
    at: 'deployment.docker_base_image_url',
  },
  {
    cause: 'requirements-file-missing',
    rank: 4,
    signs: {
      'No `pyproject.toml` found': /No `(?<path>pyproject\.toml)` found in current directory/,
      'could not find a pyproject.toml file': /Poetry could not find a (?<path>pyproject\.toml) file/,
    },
    title: '{path} is not in the app, or not in the folder where the command runs',
    fix: 'add {path} to the app folder and to include, or copy it in the Dockerfile before the command',
    at: 'deployment.include',
  },
  {
    cause: 'dependency-conflict',
    rank: 2,
    signs: {
      'version solving failed': /version solving failed\.?$/,
      'code ERESOLVE': /npm (?:ERR!|error) code ERESOLVE/,
    },
    title: 'the packages need different versions of one package',
    fix: 'loosen the versions so that one version fits all; the lines above name them',
  },
  {
    cause: 'python-version-unsupported',
    rank: 4,
    signs: {
      'is not allowed by the project':
        /Current Python version \((?<python>[\d.]{1,12})\) is not allowed by the project \((?<wanted>[^)]{1,60})\)/,
      'is not supported by the project':
        /activated Python version (?<python>[\d.]{1,12}) is not supported by the project \((?<wanted>[^)]{1,60})\)/,
      'No interpreter found for Python': /No interpreter found for Python (?<wanted>[\w<>=!~.,*]{1,40})/,
      "incompatible with the project's Python requirement":
        /resolved to Python (?<python>[\d.]{1,12}), which is incompatible with the project's Python requirement: `(?<wanted>[^`]{1,40})`/,
    },
    title: 'the project wants Python {wanted}, which the image does not have',
    fix: 'set python_version to one that the project allows, or use a base image with that Python',
    at: 'deployment.python_version',
  },
  {
    cause: 'dependency-conflict',
    rank: 4,
    signs: {
      ResolutionTooDeep: /ResolutionTooDeep/,
      'resolution-too-deep': /resolution-too-deep/,
    },
    title: 'pip found no set of versions that fits, among very many',
    fix: 'pin the packages with many versions in [cerebrium.dependencies.pip], such as boto3 and those of Google, or write a lock with uv pip compile',
    at: 'dependencies.pip',
  },
  {
    cause: 'package-build-failed',
    rank: 4,
    signs: { cython_sources: /AttributeError: cython_sources/ },
    title: 'this version of PyYAML cannot be built with Cython 3',
    fix: 'use PyYAML 6.0.1 or newer, or update the package that pins an older one',
    at: 'dependencies.pip.pyyaml',
  },
  {
    cause: 'build-dependency-missing',
    rank: 3,
    signs: { "invalid command 'bdist_wheel'": /error: invalid command 'bdist_wheel'/ },
    undoneBy: /^Successfully installed /,
    title: 'building a package needs wheel, which is not installed',
    fix: 'run pip install --upgrade pip setuptools wheel first, in pre_build_commands',
    at: 'deployment.pre_build_commands',
  },
];
