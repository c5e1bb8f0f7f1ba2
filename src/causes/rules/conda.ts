import { type FailureRule, texts } from '../rule.ts';

/** conda and its solvers. apt, and Debian packages. */
export const condaRules: readonly FailureRule[] = [
  {
    cause: 'conda-package-not-found',
    rank: 3,
    signs: {
      PackagesNotFoundError: /^PackagesNotFoundError/,
      'does not exist (perhaps a typo': /(?<![\w.-])(?<package>[\w.-]{1,80}) .{0,40}does not exist \(perhaps a typo/,
      'No candidates were found for': /No candidates were found for (?<package>[\w.-]{1,80})/,
      'nothing provides requested': /nothing provides requested (?<package>[\w.-]{1,80})/,
      ResolvePackageNotFound: /^ResolvePackageNotFound/,
    },
    title: 'the conda channels have no such package',
    fix: 'correct its name or version; in an exported environment, write name=1.2 instead of name=1.2=0, or export it again with conda env export --from-history',
    at: 'dependencies.conda.{package}',
  },
  {
    cause: 'conda-conflict',
    rank: 2,
    signs: {
      UnsatisfiableError: /^(?:\w{0,20})UnsatisfiableError/,
      'which conflicts with': /which conflicts with (?:the|any) /,
      ...texts(`cannot be installed because there are no viable options; Could not solve for environment specs`),
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
    cause: 'conda-not-initialized',
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
    signs: { 'Terms of Service have not been accepted': /Terms of Service have not been accepted/ },
    title: 'the terms of service of the conda channels are not accepted',
    fix: 'use conda-forge only (conda config --remove channels defaults), or run conda tos accept in the build',
    at: 'deployment.pre_build_commands',
  },
  {
    cause: 'conda-environment-missing',
    signs: {
      EnvironmentNameNotFound: /^EnvironmentNameNotFound: Could not find conda environment: (?<name>\S{1,80})/,
      EnvironmentLocationNotFound: /^EnvironmentLocationNotFound: Not a conda environment: (?<name>\S{1,200})/,
    },
    title: 'there is no conda environment {name}',
    fix: 'create it first, or correct its name: conda env list',
    at: 'deployment.shell_commands',
  },
  {
    cause: 'apt-package-not-found',
    inFiles: true,
    rank: 3,
    signs: {
      'Unable to locate package': /^E: Unable to locate package (?<package>\S{1,100})/,
      'has no installation candidate': /^E: Package '(?<package>[^']{1,100})' has no installation candidate/,
      'no such package': /^\s{0,8}(?<package>[\w.+-]{1,100}) \(no such package\)/,
      'No match for argument': /^No match for argument: (?<package>\S{1,100})/,
      'No package ': /^(?:Error: )?No package (?<package>\S{1,100}) available/,
    },
    title: 'the distribution of the image has no package {package}',
    fix: 'run apt-get update before it in the same command, or correct the name: packages.debian.org lists those of each release',
    at: 'dependencies.apt.{package}',
  },
  {
    cause: 'apt-version-not-found',
    rank: 3,
    signs: { 'was not found': /^E: Version '(?<version>[^']{1,100})' for '(?<package>[^']{1,100})' was not found/ },
    title: 'the distribution of the image has no {package} {version}',
    fix: '{package} = "latest"',
    at: 'dependencies.apt.{package}',
  },
  {
    cause: 'apt-conflict',
    rank: 3,
    signs: {
      'unmet dependencies': /^The following packages have unmet dependencies/,
      'held broken packages': /^E: Unable to correct problems, you have held broken packages/,
    },
    title: 'apt packages need versions that do not fit together',
    fix: 'remove the versions, or use packages of the same distribution',
    at: 'dependencies.apt',
  },
  {
    cause: 'apt-repository-failed',
    signs: {
      'a Release file':
        /^E: The repository '(?<repository>[^']{1,200})' (?:does not have|no longer has) a Release file/,
      'is not signed': /^E: The repository '(?<repository>[^']{1,200})' is not signed/,
      'E: Failed to fetch': /^E: Failed to fetch (?<repository>\S{1,200})/,
      'W: Failed to fetch': /^W: Failed to fetch (?<repository>\S{1,200})/,
      'Some index files failed to download': /^E: Some index files failed to download/,
      'is not valid yet': /^E: Release file for \S{1,200} is not valid yet/,
      'is expired': /^E: Release file for \S{1,200} is expired/,
      '404  Not Found': /^(?:E: .{0,200}|Err:\d.{0,200}|\s{0,4})404 {1,2}Not Found \[IP: /,
      NO_PUBKEY: /NO_PUBKEY [0-9A-F]{8,40}/,
      'Temporary failure resolving': /Temporary failure resolving '(?<repository>[^']{1,120})'/,
      ...texts(`Hash Sum mismatch; At least one invalid signature was encountered; Clearsigned file isn't valid`),
    },
    title: 'an apt repository cannot be read',
    fix: 'check its address and key, or deploy again if it was down; after a 404, run apt-get update in the same RUN line, or use a newer base image',
    at: 'dependencies.apt',
  },
  {
    cause: 'apt-install-failed',
    rank: 2,
    signs: {
      'returned an error code': /^E: Sub-process \/usr\/bin\/dpkg returned an error code/,
      'dpkg: error processing': /^dpkg: error processing (?:package|archive) (?<package>\S{1,120})/,
    },
    title: 'apt could not set up {package|a package}',
    fix: 'read what its script printed above; set DEBIAN_FRONTEND=noninteractive, and install it alone to see why',
    at: 'dependencies.apt',
  },
  {
    cause: 'apt-needs-confirmation',
    inFiles: true,
    rank: 3,
    signs: { 'Do you want to continue?': /^Do you want to continue\? \[Y\/n\] Abort/ },
    title: 'apt-get asks a question, and nobody answers in a build',
    fix: 'add -y to the apt-get command',
    at: 'deployment.shell_commands',
  },
  {
    cause: 'apt-locked',
    rank: 3,
    signs: { 'Could not get lock': /^E: Could not get lock (?<path>\S{1,200})/ },
    title: 'another apt process is running',
    fix: 'run apt-get commands one after the other',
    at: 'deployment.pre_build_commands',
  },
  {
    cause: 'apt-repository-failed',
    rank: 5,
    signs: {
      '://':
        /^E: (?:The repository '|Failed to fetch )https?:\/\/\S{1,80}?(?:\/dists\/| )(?<release>jessie|stretch|buster|xenial|artful|cosmic|disco|eoan|groovy|hirsute|impish|kinetic|lunar|mantic|oracular)\b.{0,160}(?:Release file|404)/,
    },
    title: 'the mirrors have no longer the release {release} of the base image, which is not supported any more',
    fix: 'use a base image of a supported release, such as bookworm, instead of {release}',
    at: 'deployment.docker_base_image_url',
  },
];
