import type { FailureRule } from '../rule.ts';

/** apt, conda, images, commands of a build, and the machine. */
export const systemRules: readonly FailureRule[] = [
  {
    cause: 'apt-package-not-found',
    rank: 3,
    signs: {
      'Unable to locate package': /^E: Unable to locate package (?<package>\S{1,100})/,
      'has no installation candidate': /^E: Package '(?<package>[^']{1,100})' has no installation candidate/,
    },
    title: 'the distribution of the image has no apt package {package}',
    fix: 'correct the name: packages.debian.org lists those of each release',
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
      'does not have a Release file':
        /^E: The repository '(?<repository>[^']{1,200})' (?:does not have|no longer has) a Release file/,
      'is not signed': /^E: The repository '(?<repository>[^']{1,200})' is not signed/,
      'E: Failed to fetch': /^E: Failed to fetch (?<repository>\S{1,200})/,
      'W: Failed to fetch': /^W: Failed to fetch (?<repository>\S{1,200})/,
      'Some index files failed to download': /^E: Some index files failed to download/,
      NO_PUBKEY: /NO_PUBKEY [0-9A-F]{8,40}/,
    },
    title: 'an apt repository cannot be read',
    fix: 'check its address and key, or deploy again if it was down',
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
    cause: 'image-not-found',
    rank: 3,
    signs: {
      'failed to resolve source metadata':
        /failed to resolve source metadata for (?<image>\S{1,200}): .{0,300}not found$/,
      'manifest unknown': /manifest for (?<image>\S{1,200}) not found: manifest unknown|manifest unknown/,
      'Failed to pull image': /^Failed to pull image "(?<image>[^"]{1,200})".{0,400}not found/,
      ErrImagePull: /ErrImagePull/,
      ImagePullBackOff: /ImagePullBackOff/,
    },
    title: 'the base image {image} does not exist',
    fix: 'correct its name and tag',
    at: 'deployment.docker_base_image_url',
  },
  {
    cause: 'image-access-denied',
    rank: 6,
    signs: {
      'pull access denied': /pull access denied for (?<image>[^\s,]{1,200})/,
      'failed to authorize': /failed to authorize: /,
      'unauthorized: authentication required': /unauthorized: authentication required/,
    },
    title: 'the registry of the base image refuses the login',
    fix: 'log in with docker login, and deploy again: gantry sends the login of the registries that the app uses',
    at: 'deployment.docker_base_image_url',
  },
  {
    cause: 'image-rate-limited',
    rank: 4,
    signs: { toomanyrequests: /toomanyrequests: / },
    title: 'the registry of the base image limits how often it is pulled',
    fix: 'log in with docker login before the deploy, or use another registry',
    at: 'deployment.docker_base_image_url',
  },
  {
    cause: 'wrong-architecture',
    rank: 4,
    signs: {
      'no matching manifest for': /no matching manifest for (?<platform>linux\/\w{1,20})/,
      'no match for platform in manifest': /no match for platform in manifest/,
      'exec format error': /[Ee]xec format error/,
      'Exec format error': /Exec format error/,
    },
    title: 'an image or a program is not made for linux/amd64',
    fix: 'build or choose it for linux/amd64',
    at: 'deployment.docker_base_image_url',
  },
  {
    cause: 'dockerfile-invalid',
    rank: 3,
    signs: {
      'dockerfile parse error': /[Dd]ockerfile parse error(?: on)? ?(?:line (?<line>\d{1,6}))?:? ?(?<problem>.{1,120})/,
    },
    title: 'the Dockerfile is not valid: {problem}',
    fix: 'correct that line of the Dockerfile',
    at: 'runtime.custom.dockerfile_path',
  },
  {
    cause: 'dockerfile-missing',
    rank: 4,
    signs: { 'failed to read dockerfile': /failed to read dockerfile: open (?<path>[^:]{1,200}): no such file/ },
    title: '{path} is not in the app',
    fix: 'correct dockerfile_path, or add the file',
    at: 'runtime.custom.dockerfile_path',
  },
  {
    cause: 'copy-source-missing',
    rank: 4,
    signs: {
      'failed to calculate checksum of ref':
        /failed to calculate checksum of ref \S{1,200}: "\/?(?<path>[^"]{1,200})": not found/,
      'COPY failed': /^(?:COPY|ADD) failed: .{0,120}stat (?<path>[^:]{1,200}): file does not exist/,
    },
    title: 'the Dockerfile copies {path}, which is not sent',
    fix: 'add {path} to the app folder and to include, or remove it from exclude',
    at: 'deployment.exclude',
  },
  {
    cause: 'build-out-of-memory',
    rank: 4,
    only: 'build',
    signs: {
      Killed: /^(?:.{0,120}(?:line \d{1,6}: {1,8}\d{1,8} )?Killed(?: {1,40}\S.{0,200})?|\s*Killed)$/,
      'exit code: 137': /exit code: 137$/,
      'code 137': /(?:exit(?:ed with)? (?:code|status)|returned(?: a non-zero)? (?:code|exit code)):? 137\b/,
      'Killed signal terminated program': /Killed signal terminated program (?<program>\w{1,20})/,
      'heap out of memory': /JavaScript heap out of memory/,
      'Cannot allocate memory': /Cannot allocate memory/,
    },
    title: 'the build ran out of memory',
    fix: 'install fewer large packages at once, limit parallel compilation (MAX_JOBS=2), or use wheels',
    at: 'deployment.shell_commands',
  },
  {
    cause: 'disk-full',
    rank: 6,
    signs: {
      'No space left on device': /(?:^|: |\] )No space left on device/,
      'no space left on device': /: no space left on device$/,
      'enough free space in': /^E: You don't have enough free space in/,
      'ephemeral-storage':
        /low on resource: ephemeral-storage|exceeds .{0,60}ephemeral.storage|ephemeral local storage usage exceeds/,
      'Disk quota exceeded': /Disk quota exceeded/,
    },
    title: 'the disk is full',
    fix: 'keep models and data on a volume (gantry cp), and remove caches during the build',
  },
  {
    cause: 'quota-exceeded',
    rank: 4,
    signs: {
      'exceeded quota': /forbidden: exceeded quota: (?<quota>[^,]{1,80})/,
      'exceeded your current quota': /exceeded your current quota/,
      insufficient_quota: /insufficient_quota/,
      'Payment Required': /\b402\b.{0,40}Payment Required/,
    },
    title: 'a quota or a plan does not allow more',
    fix: 'use less, or a larger plan: gantry plan set',
  },
  {
    cause: 'hardware-unavailable',
    rank: 4,
    signs: {
      'nodes are available': /^.{0,80}\d+\/\d+ nodes are available: .{0,200}Insufficient (?<resource>[\w./-]{1,60})/,
    },
    title: 'no machine with this hardware is free',
    fix: 'list several kinds in compute, or use another region',
    at: 'hardware.compute',
  },
  {
    cause: 'command-failed',
    // What the command printed usually shows more.
    rank: 0,
    only: 'build',
    signs: {
      'did not complete successfully':
        /process "(?:\/bin\/(?:ba)?sh -c )?(?<command>.{1,300})" did not complete successfully: exit code: (?<code>\d{1,3})/,
      'returned a non-zero code':
        /^The command '(?:\/bin\/(?:ba)?sh -c )?(?<command>.{1,300})' returned a non-zero code: (?<code>\d{1,3})/,
      'while running runtime':
        /building at STEP "RUN (?<command>.{1,300})": while running runtime: exit status (?<code>\d{1,3})/,
      'failed to execute command':
        /failed to execute command: waiting for process to exit: exit status (?<code>\d{1,3})/,
      'the command': /(?:^|: )the command "(?<command>.{1,300})" failed(?: with exit code (?<code>\d{1,3}))?$/,
    },
    title: 'a command of the build failed: {command}',
    fix: 'run it in the app folder to see why, and correct or remove it',
    at: 'deployment.shell_commands',
  },
  {
    cause: 'line-endings',
    rank: 5,
    signs: {
      'bad interpreter': /(?<![\w./-])(?<path>[\w./-]{1,120}): .{0,80}\/\w+(?:\^M|\r)?: bad interpreter/,
      'cannot execute: required file not found':
        /(?<![\w./-])(?<path>[\w./-]{1,120}): cannot execute: required file not found/,
      $CommandR: /\$'\\r': command not found/,
    },
    title: 'a script has Windows line endings',
    fix: 'save it with LF: sed -i "s/\\r$//" {path}',
  },
  {
    cause: 'command-not-found',
    rank: 3,
    signs: {
      'command not found': /(?:^|: )(?<command>[\w./+-]{1,80}): command not found$/,
      'not found': /^(?:\/bin\/)?(?:sh|dash): (?:line )?\d{1,6}: (?:exec: )?(?<command>[\w./+-]{1,80}): not found$/,
      'executable file not found in $PATH': /exec: "(?<command>[^"]{1,80})": executable file not found in \$PATH/,
      'No such file or directory': /^env: ['‘](?<command>[\w./+-]{1,80})['’]: No such file or directory$/,
      'its entrypoint failed to start': /its entrypoint failed to start: (?<command>\S{1,80}) not found/,
    },
    title: '{command} is not installed in the image',
    fix: 'add the package that has {command} to [cerebrium.dependencies.pip] or [cerebrium.dependencies.apt], or correct its name',
  },
];
