import { type FailureRule, messageRows, texts } from '../rule.ts';
import { endedBy } from './processes.ts';

/** What a build prints, and an app that runs does not. */
const building =
  /^(?:\[\d{1,2}\/\d{1,2}\] (?:RUN|COPY)|Step \d|STEP \d|Collecting |\s*(?:Building wheel|Downloading \S{1,80}\.whl|Installing collected)|running build|Run pip )/;

/** Commands of a build, quotas and the machine. */
export const systemRules: readonly FailureRule[] = [
  ...messageRows(`
hardware-unavailable | nodes are available: …Insufficient {resource} | no machine with this hardware is free | list several kinds in compute, or use another region | hardware.compute
`),
  {
    cause: 'build-out-of-memory',
    only: 'build',
    signs: [
      /(?<step>did not complete successfully: exit code: 137)$/,
      /(?<step>returned a non-zero code: 137)$/,
      /(?<step>Killed signal terminated program)/,
      /^(?!.*\.py$)(?:.{0,120}(?:line \d{1,6}: {1,8}\d{1,8} )?(?<!\w)Killed(?: {1,40}\S.{0,200})?|\s*Killed)$/,
      /(?<step>executor failed running \[.{1,400}\]: )?exit code: 137$/,
      /\beta \d[\d:]{1,10}\s?Killed$/,
      /Out of memory: Kill process \d{1,8}/,
      /(?:exit(?:ed with)? (?:code|status)|returned(?: a non-zero)? (?:code|exit code)):? 137\b/,
      /Cannot allocate memory/,
    ],
    // The same happens to an app that runs.
    applies: ({ step }, { source }, before) =>
      source === 'build' || step !== undefined || before().some((line) => building.test(line)),
    title: 'the build ran out of memory',
    fix: 'give the machine, or the virtual machine of Docker, that builds more memory; or limit parallel compilation (MAX_JOBS=2), use wheels, and pip --no-cache-dir for large ones',
    at: 'deployment.shell_commands',
  },
  {
    cause: 'disk-full',
    rank: 6,
    signs: [
      /^RuntimeError: .{0,120}unexpected pos \d{1,20} vs \d{1,20}/,
      /\bshort write$/,
      /(?:^|: |\] )No space left on device/,
      /: no space left on device(?:$|,(?! watch))/,
      /^E: You don't have enough free space in/,
      /low on resource: ephemeral-storage|exceeds .{0,60}ephemeral.storage|ephemeral local storage usage exceeds/,
      ...texts(`PytorchStreamWriter failed writing file; Disk quota exceeded`),
    ],
    title: 'the disk is full',
    fix: 'use a larger disk or volume, or less of it: keep models on a volume with room for them (gantry cp), remove caches in the build, and install torch for the CPU if no GPU is used',
  },
  {
    cause: 'quota-exceeded',
    signs: [
      /forbidden: exceeded quota: (?<quota>[^,]{1,80})/,
      /^(?:gantry|cerebrium|deploy|build|error|platform).{0,80}\b402\b.{0,40}Payment Required/i,
      /\b(?:[GC]PUs?|[Rr]esources?|[Nn]amespace|[Pp]roject|[Pp]lan) quota exceeded/,
      /QUOTA_EXCEEDED/,
      /\b[Qq]uota '?[\w.-]{1,60}'? exceeded|exceeds? (?:the|your) .{0,40}quota /,
      /\b(?:limit|quota) of your plan\b/,
    ],
    title: 'a quota or a plan does not allow more',
    fix: 'delete or scale down what you no longer need, or choose a larger plan: gantry plan set',
  },
  {
    cause: 'command-failed',
    // What the command printed usually shows more.
    rank: 0,
    only: 'build',
    signs: [
      /process "(?:\/bin\/(?:ba)?sh -c )?(?<command>.{1,300})" did not complete successfully: exit code: (?<code>\d{1,3})/,
      /^The command '(?:\/bin\/(?:ba)?sh -c )?(?<command>.{1,300})' returned a non-zero code: (?<code>\d{1,3})/,
      /building at STEP "RUN (?<command>.{1,300})": (?:error )?while running runtime: exit status (?<code>\d{1,3})/,
      /executor failed running \[(?:\/bin\/(?:ba)?sh (?:-o pipefail )?-c )?(?<command>.{1,300})\]: exit code: (?<code>\d{1,3})/,
      /failed to execute command: waiting for process to exit: exit status (?<code>\d{1,3})/,
      /(?:^|: )the command "(?<command>.{1,300})" failed(?: with exit code (?<code>\d{1,3}))?$/,
    ],
    title: 'a command of the build failed: {command}',
    fix: 'run it in the app folder to see why, and correct or remove it',
    at: 'deployment.shell_commands',
  },
  {
    cause: 'entrypoint-not-found',
    rank: 6,
    signs: [
      /(?<path>[\w./-]{0,120}\/bin\/[\w.-]{1,60}): cannot execute: required file not found/,
      /Querying Python at `(?<path>[^`]{1,120})` failed/,
      /(?<path>[\w./-]{0,120}\/bin\/[\w.-]{1,60}): \/\S{1,120}: bad interpreter: No such file/,
      /environment directory `(?<path>[^`]{1,120})` cannot be used because/,
      /^error: .{0,60}Broken virtual environment `(?<path>[^`]{1,120})`/,
    ],
    title: 'the interpreter of {path} is not in the image',
    fix: 'make the virtual environment in the image that runs it, in the same folder as when it was made, or start the module with python -m',
    at: 'runtime.custom.entrypoint',
  },
  {
    cause: 'entrypoint-not-found',
    signs: [
      /^(?:\/bin\/)?(?:sh|ash|dash|bash): (?:(?:line )?\d{1,6}: )?(?:exec: )?(?<path>\/[\w./+-]{1,120}): not found$/,
      /^(?:.{0,80}: )?exec (?<path>\/[\w/+-]{1,120}): no such file or directory$/,
    ],
    title: '{path} is not in the image, or what it needs to start is not: its interpreter, or glibc on Alpine',
    fix: 'copy it there; a program for glibc needs a Debian image or a static build, and a script the interpreter of its first line',
    at: 'runtime.custom.entrypoint',
  },
  {
    cause: 'line-endings',
    inFiles: true,
    rank: 5,
    signs: [
      /(?<![\w./-])(?<path>[\w./-]{1,120}): .{0,80}\/\w+(?:\^M|\r)?: bad interpreter(?!: Permission)/,
      /^(?:.{0,80}: )?exec (?<path>[\w./-]{1,120}\.(?:sh|bash|py)): no such file or directory|exec user process caused:? "?no such file or directory/,
      /(?<![\w./-])(?<path>[\w./-]{1,120}): cannot execute: required file not found/,
      /(?:^|\s)(?<path>[\w./-]{1,120}): (?:line )?\d{1,6}: .{0,60}\$'(?:\S{0,40})\\r'/,
      /\w\\r’: No such file or directory/,
      /\w\\r'?: No such file or directory|syntax error near unexpected token .{0,4}\$'\S{0,10}\\r'/,
    ],
    title: 'a script has Windows line endings, so that its interpreter is not found',
    fix: 'save it with LF: sed -i "s/\\r$//" {path|SCRIPT}',
  },
  {
    cause: 'command-not-found',
    rank: 3,
    signs: [
      /(?:^|: )(?<command>(?!deactivate:)[\w./+-]{1,80}): command not found$/,
      /(?:^(?:\/bin\/)?(?:sh|dash): (?:(?:line )?\d{1,6}: )?(?:exec: )?|: line \d{1,6}: exec: )(?<command>[\w./+-]{1,80}): not found$/,
      /executable file `(?<command>[^`]{1,80})` not found in \$PATH/,
      /exec: "(?<command>[^"\s]{1,80})": executable file not found in \$PATH/,
      /^(?:\S{0,40}env|nohup|timeout|setsid|xargs|nice): (?:failed to run command |cannot run command )?['‘]?(?<command>[\w./+-]{1,80})['’]?: No such file or directory$/,
      /^error: Failed to spawn: `(?<command>[^`]{1,80})`/,
      /its entrypoint failed to start: (?<command>\S{1,80}) not found/,
      /\bspawn (?<command>[\w.+-]{1,60}) ENOENT/,
    ],
    title: '{command} is not installed in the image',
    fix: 'add the package that has {command} to [cerebrium.dependencies.pip] or [cerebrium.dependencies.apt], or correct its name',
  },
  {
    cause: 'command-not-found',
    signs: [
      /: (?<command>(?:lib[\w.+-]{2,60}|[\w.+-]{2,60}-(?:dev|client|common|utils|server))): (?:command )?not found$/,
    ],
    title: 'the shell runs {command}, which is the name of a package',
    fix: 'keep it in the command that installs packages: no && and no line without \\ may stand before it',
  },
  {
    cause: 'command-not-found',
    signs: [/(?:^|: )(?:line )?\d{1,6}: (?<command>source|pushd|popd|shopt|\[\[|declare): (?:command )?not found$/],
    title: 'sh does not know {command}: it is a command of bash',
    fix: 'run it with bash -c, or write it for sh, as in . venv/bin/activate instead of source',
  },
  {
    cause: 'shell-syntax-error',
    signs: [
      /^(?!AH\d)\S{1,200}: (?:-c: )?(?:(?:line )?\d{1,6}: )?[Ss]yntax error[: ](?<problem>.{1,120})/,
      /: line \d{1,6}: (?<problem>unexpected EOF while looking for matching .{1,20})/,
    ],
    title: 'a shell script has a syntax error: {problem}',
    fix: 'correct the line that the message names; bash -n checks a script without running it',
  },
  {
    cause: 'build-timeout',
    rank: 1,
    signs: [
      /^(?:ERROR: |error: )?(?:the )?build (?:has )?timed out\b/i,
      /failed to solve: (?:DeadlineExceeded|Canceled)\b.{0,20}(?:context deadline exceeded)?$/,
      /\bbuild .{0,60}(?:exceeded|reached) (?:its|the) (?:maximum )?time limit/i,
    ],
    title: 'the build took longer than allowed',
    fix: 'shorten its longest step: use wheels instead of compiling, the solver libmamba for conda, and keep models on a volume',
  },
  {
    cause: 'glibc-too-old',
    rank: 5,
    signs: [
      /version [`'‘](?<version>GLIBC(?:XX)?_[\d.]{1,10}|CXXABI_[\d.]{1,10})['’] not found/,
      /Error relocating \S{1,160}: (?<version>\w{1,60}): symbol not found/,
    ],
    title: 'a program or a library needs {version}, which the image does not have',
    fix: 'use a base image with a newer glibc (Debian 12 has 2.36, Ubuntu 24.04 has 2.39, Debian 13 has 2.41), or a build of the program for an older one',
    at: 'deployment.docker_base_image_url',
  },
  {
    cause: 'cpu-unsupported',
    signs: [
      /(?:^|: {1,8}(?:\d{1,8} {1,4})?)(?:Fatal Python error: )?Illegal instruction\b/,
      /illegal hardware instruction/,
      ...endedBy(4, 'SIGILL'),
      /was compiled to use \S{1,40} instructions, but these aren't available on your machine/,
    ],
    title: 'a program uses instructions that the CPU does not have',
    fix: 'install a build for an older CPU (without AVX, compiled without -march=native; of TensorFlow, before 1.6 or built for it), or use a newer machine',
    at: 'dependencies.pip',
  },
];
