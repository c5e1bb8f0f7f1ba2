import type { FailureRule } from '../rule.ts';

/** conda and its solvers. */
export const condaRules: readonly FailureRule[] = [
  {
    cause: 'conda-package-not-found',
    rank: 3,
    signs: {
      PackagesNotFoundError: /^PackagesNotFoundError/,
      'does not exist (perhaps a typo': /(?<![\w.-])(?<package>[\w.-]{1,80}) .{0,40}does not exist \(perhaps a typo/,
      'No candidates were found for': /No candidates were found for (?<package>[\w.-]{1,80})/,
      'nothing provides requested': /nothing provides requested (?<package>[\w.-]{1,80})/,
    },
    title: 'the conda channels have no such package',
    fix: 'correct its name or version',
    at: 'dependencies.conda.{package}',
  },
  {
    cause: 'conda-conflict',
    rank: 2,
    signs: {
      UnsatisfiableError: /^(?:\w{0,20})UnsatisfiableError/,
      'cannot be installed because there are no viable options':
        /cannot be installed because there are no viable options/,
      'Could not solve for environment specs': /^Could not solve for environment specs/,
      'which conflicts with': /which conflicts with (?:the|any) /,
    },
    title: 'conda packages need versions that do not fit together',
    fix: 'loosen the versions in [cerebrium.dependencies.conda]',
    at: 'dependencies.conda',
  },
  {
    cause: 'conda-channel-failed',
    rank: 3,
    signs: {
      CondaHTTPError: /^CondaHTTPError: HTTP (?<status>\d{3})/,
      'Download error': /^critical libmamba .{0,60}[Dd]ownload error/,
    },
    title: 'a conda channel cannot be read',
    fix: 'deploy again; if it fails again, check the name of the channel',
    at: 'dependencies.conda',
  },
  {
    cause: 'conda-package-not-found',
    rank: 3,
    signs: { ResolvePackageNotFound: /^ResolvePackageNotFound/ },
    title: 'the conda channels do not have packages of the environment in the versions that it names',
    fix: 'remove the build from each (name=1.2 instead of name=1.2=0), or export again with conda env export --from-history',
    at: 'dependencies.paths.conda',
  },
  {
    cause: 'requirements-file-missing',
    rank: 4,
    signs: { EnvironmentFileNotFound: /^EnvironmentFileNotFound: '(?<path>[^']{1,200})' file not found/ },
    title: '{path} is not in the app',
    fix: 'add it to the app folder and to include, or copy it in the Dockerfile before the command',
    at: 'dependencies.paths.conda',
  },
  {
    cause: 'conda-not-initialized',
    rank: 4,
    signs: {
      "to use 'conda activate'":
        /^CommandNotFoundError: Your shell has not been properly configured to use 'conda (?:de)?activate'/,
      "before 'conda activate'": /^CondaError: Run 'conda init' before 'conda (?:de)?activate'/,
    },
    title: 'the shell of the build does not know conda activate',
    fix: 'use conda run -n NAME command, or run . /opt/conda/etc/profile.d/conda.sh before it in the same command',
    at: 'deployment.shell_commands',
  },
  {
    cause: 'conda-terms-not-accepted',
    rank: 4,
    signs: { 'Terms of Service have not been accepted': /Terms of Service have not been accepted/ },
    title: 'the terms of service of the conda channels are not accepted',
    fix: 'use conda-forge only (conda config --remove channels defaults), or run conda tos accept in the build',
    at: 'deployment.pre_build_commands',
  },
  {
    cause: 'conda-environment-missing',
    rank: 4,
    signs: {
      EnvironmentNameNotFound: /^EnvironmentNameNotFound: Could not find conda environment: (?<name>\S{1,80})/,
      EnvironmentLocationNotFound: /^EnvironmentLocationNotFound: Not a conda environment: (?<name>\S{1,200})/,
    },
    title: 'there is no conda environment {name}',
    fix: 'create it first, or correct its name: conda env list',
    at: 'deployment.shell_commands',
  },
];
