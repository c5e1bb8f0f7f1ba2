import type { FailureRule } from '../rule.ts';

/** apt, and Debian packages. */
export const aptRules: readonly FailureRule[] = [
  {
    cause: 'apt-package-not-found',
    rank: 3,
    signs: {
      'Unable to locate package': /^E: Unable to locate package (?<package>\S{1,100})/,
      'has no installation candidate': /^E: Package '(?<package>[^']{1,100})' has no installation candidate/,
    },
    title: 'the distribution of the image has no apt package {package}',
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
    rank: 4,
    signs: {
      'a Release file':
        /^E: The repository '(?<repository>[^']{1,200})' (?:does not have|no longer has) a Release file/,
      'is not signed': /^E: The repository '(?<repository>[^']{1,200})' is not signed/,
      'E: Failed to fetch': /^E: Failed to fetch (?<repository>\S{1,200})/,
      'W: Failed to fetch': /^W: Failed to fetch (?<repository>\S{1,200})/,
      'Some index files failed to download': /^E: Some index files failed to download/,
      'Hash Sum mismatch': /Hash Sum mismatch/,
      'is not valid yet': /^E: Release file for \S{1,200} is not valid yet/,
      'is expired': /^E: Release file for \S{1,200} is expired/,
      '404  Not Found': /^(?:E: .{0,200}|Err:\d.{0,200}|\s{0,4})404 {1,2}Not Found \[IP: /,
      NO_PUBKEY: /NO_PUBKEY [0-9A-F]{8,40}/,
    },
    title: 'an apt repository cannot be read',
    fix: 'check its address and key, or deploy again if it was down',
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
];
