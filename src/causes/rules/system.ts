import { type FailureRule, rows, rowsWith } from '../rule.ts';
import { lastWords } from '../unknown-failure.ts';

/** What a build prints, and an app that runs does not. */
const building =
  /^(?:\[\d{1,2}\/\d{1,2}\] (?:RUN|COPY)|Step \d|STEP \d|Collecting |\s*(?:Building wheel|Downloading \S{1,80}\.whl|Installing collected)|running build|Run pip )/;

/** Commands of a build, quotas and the machine. */
export const systemRules: readonly FailureRule[] = [
  ...rows`
6 disk-full | after /No space left on device/: /^tmpfs .{0,60} 100% \/tmp$/ | /tmp is full: it is smaller than the disk | set TMPDIR to a folder on the disk
hardware-unavailable | nodes are available: …Insufficient {resource} | no machine with this hardware is free | list several kinds in compute, or use another region | hardware.compute
`,
  ...rowsWith({
    only: 'build',
    applies: ({ step }, { source }, before) =>
      source === 'build' || step !== undefined || before().some((line) => building.test(line)),
  })`
build-out-of-memory | exit{|ed with} {code|status}{|:} 137; /(?<step>did not complete successfully: exit code: 137)$/; /(?<step>returned a non-zero code: 137)$/; /(?<step>Killed signal terminated program|\(signal: 9, SIGKILL|internal compiler error: Killed)/; /^(?!.*\.py$)(?:.{0,120}(?:line \d{1,6}: {1,8}\d{1,8} )?(?<!\w)Killed(?: {1,40}\S.{0,200})?|\s*Killed)$/;
  /(?<step>executor failed running \[.{1,400}\]: )?exit code: 137$/; /\beta \d[\d:]{1,10}\s?Killed$/; Out of memory: Kill process; Cannot allocate memory
  | the build ran out of memory | give the machine, or the virtual machine of Docker, that builds more memory; or limit parallel compilation (MAX_JOBS=2), use wheels, and pip --no-cache-dir for large ones | deployment.shell_commands
`,
  ...rows`
6 disk-full | ^RuntimeError: …unexpected pos … vs; short write$; : No space left on device; ] No space left on device; /: no space left on device(?:$|,(?! watch))/; ^E: You don't have enough free space in; low on resource: ephemeral-storage; PytorchStreamWriter failed writing file; Disk quota exceeded
  | the disk is full | use a larger disk or volume, or less of it: keep models on a volume with room for them (gantry cp), remove caches in the build, and install torch for the CPU if no GPU is used
quota-exceeded | forbidden: exceeded quota: {quota…}; /^(?:gantry|cerebrium|deploy|build|error|platform).{0,80}\b402\b.{0,40}Payment Required/i; QUOTA_EXCEEDED; /\b[Qq]uota '?[\w.-]{1,60}'? exceeded|exceeds? (?:the|your) .{0,40}quota /; {limit|quota} of your plan | a quota or a plan does not allow more | delete or scale down what you no longer need, or choose a larger plan: gantry plan set
0 command-failed | build: the command "{command…}" failed with exit code {code}$; the command "{command…}" failed$ | a command of the build failed, exit code {code|unknown}: {command} | run it in the app folder to see why, and correct or remove it | deployment.shell_commands
6 entrypoint-not-found | /(?<path>[\w./-]{0,120}\/bin\/[\w.-]{1,60}): cannot execute: required file not found/; Querying Python at \`{path}\` failed; /(?<path>[\w./-]{0,120}\/bin\/[\w.-]{1,60}): \/\S{1,120}: bad interpreter: No such file/; environment directory \`{path}\` cannot be used because;
  ^error: …Broken virtual environment \`{path}\`
  | the interpreter of {path} is not in the image | make the virtual environment in the image that runs it, in the same folder as when it was made, or start the module with python -m | runtime.custom.entrypoint
entrypoint-not-found | /^(?:\/bin\/)?(?:sh|ash|dash|bash): (?:(?:line )?\d{1,6}: )?(?:exec: )?(?<path>\.{0,2}\/[\w./+-]{1,120}): not found$/; exec {path}: no such file or directory$ | {path} is not in the image, or what it needs to start is not: its interpreter, or glibc on Alpine | copy it there; a program for glibc needs a Debian image or a static build, and a script the interpreter of its first line | runtime.custom.entrypoint
5 line-endings † | /(?<![\w./-])(?<path>[\w./-]{1,120}): .{0,80}\/\w+(?:\^M|\r)?: bad interpreter(?!: Permission)/; /^(?:.{0,80}: )?exec (?<path>[\w./-]{1,120}\.(?:sh|bash|py)): no such file or directory/;
  /(?<![\w./-])(?<path>[\w./-]{1,120}): cannot execute: required file not found/; /(?:^|\s)(?<path>[\w./-]{1,120}): (?:line )?\d{1,6}: .{0,60}\$'(?:\S{0,40})\\r'/; \r’: No such file or directory; \r{|'}: No such file or directory
  | a script has Windows line endings, so that its interpreter is not found | save it with LF: sed -i "s/\r$//" {path|SCRIPT}
3 command-not-found | ^{command}: command not found$; : {command}: command not found$; ^{|/bin/}{sh|dash}: …{|exec: }{command}: not found$; : line …: exec: {command}: not found$; executable file \`{command}\` not found in $PATH; exec: "{command}": executable file not found in $PATH;
  /^(?:\S{0,40}env|nohup|timeout|setsid|xargs|nice): (?:failed to run command |cannot run command )?['‘]?(?<command>[\w./+-]{1,80})['’]?: No such file or directory$/; ^error: Failed to spawn: \`{command}\`; its entrypoint failed to start: {command} not found; /\bspawn (?<command>[\w.+-]{1,60}) ENOENT/
  | {command} is not installed in the image | add the package that has {command} to [cerebrium.dependencies.pip] or [cerebrium.dependencies.apt], or correct its name
command-not-found | /: (?<command>(?:lib[\w.+-]{2,60}|[\w.+-]{2,60}-(?:dev|client|common|utils|server))): (?:command )?not found$/ | the shell runs {command}, which is the name of a package | keep it in the command that installs packages: no && and no line without \ may stand before it
command-not-found | ^{|line }…: {command=source|pushd|popd|shopt|[[|declare}: {|command }not found$; : {|line }…: {command=source|pushd|popd|shopt|[[|declare}: {|command }not found$ | sh does not know {command}: it is a command of bash | run it with bash -c, or write it for sh, as in . venv/bin/activate instead of source
shell-syntax-error | /^(?!AH\d)\S{1,200}: (?:-c: )?(?:(?:line )?\d{1,6}: )?[Ss]yntax error[: ](?<problem>.{1,120})/; /: line \d{1,6}: (?<problem>unexpected EOF while looking for matching .{1,20})/ | a shell script has a syntax error: {problem} | correct the line that the message names; bash -n checks a script without running it
1 build-timeout | /^(?:ERROR: |error: )?(?:the )?build (?:has )?timed out\b/i; failed to solve: {DeadlineExceeded|Canceled}…{|context deadline exceeded}$; /\bbuild .{0,60}(?:exceeded|reached) (?:its|the) (?:maximum )?time limit/i | the build took longer than allowed | shorten its longest step: use wheels instead of compiling, the solver libmamba for conda, and keep models on a volume
5 glibc-too-old | Error relocating …: {symbol}: symbol not found; Error loading shared library ld-linux-{name}; /undefined reference to [\`'‘]__\w{1,40}_chk/ | what was compiled for glibc is used on Alpine, which has musl | build and run it on one system: use an image of Debian, a build for musl, or apk add gcompat | deployment.docker_base_image_url
5 container-engine-failed | (uv_thread_create(; pthread_create failed (EPERM); pthread_create failed…Operation not permitted | the Docker of the machine is too old for the image: it forbids how a newer glibc starts threads | update Docker (20.10.10 or later), or use an image of an older system, such as bullseye | deployment.docker_base_image_url
6 line-endings | /^#!\/\S{1,80}(?: \S{1,40})?\^M\$?$/ | a script has Windows line endings, so that the system cannot start it | save it with LF: sed -i "s/\r$//" SCRIPT
6 glibc-too-old | after /\b(?:go build|cargo build|CGO_ENABLED|GOOS=)/: exec user process caused…no such file or directory | the program was linked with another libc (musl of Alpine, glibc of Debian) than the image has that runs it | build it on the distribution that runs it, or without libc: CGO_ENABLED=0, the target musl of Rust | deployment.docker_base_image_url
5 line-endings | exec user process caused…no such file or directory | what starts is there, and its interpreter is not: a script has Windows line endings or names a shell that is missing, or a program needs another libc | save a script with LF: sed -i "s/\r$//" SCRIPT; use sh where the image has no bash, and one distribution to build and run a program
6 glibc-too-old | version {\`|'|‘}GLIBCXX_{version}{'|’} not found | the libstdc++ that is loaded is too old: a library needs GLIBCXX_{version} | use a base image with a newer gcc; with conda, install libstdcxx-ng and put its lib folder first into LD_LIBRARY_PATH | deployment.docker_base_image_url
5 glibc-too-old | version {\`|'|‘}{version}{'|’} not found | a program or a library needs {version}, which the image does not have | use a base image with a newer glibc (Debian 12 has 2.36, Ubuntu 24.04 has 2.39, Debian 13 has 2.41), or a build of the program for an older one | deployment.docker_base_image_url
cpu-unsupported | /(?:^|: {1,8}(?:\d{1,8} {1,4})?)(?:Fatal Python error: )?Illegal instruction\b/; illegal hardware instruction; signal 4 SIGILL; was compiled to use … instructions, but these aren't available on your machine | a program uses instructions that the CPU does not have | install a build for an older CPU (without AVX, compiled without -march=native; of TensorFlow, before 1.6 or built for it), or use a newer machine | dependencies.pip
`,
  // What an engine says of a command is no cause, if that has said nothing.
  ...rowsWith({ applies: (_, __, before) => before().length === 0 || lastWords(before()) !== undefined })`
0 command-failed | build: /process "(?:\/bin\/(?:ba)?sh -c )?(?<command>.{1,300})" did not complete successfully: exit code: (?<code>\d{1,3})/; /^The command '(?:\/bin\/(?:ba)?sh -c )?(?<command>.{1,300})' returned a non-zero code: (?<code>\d{1,3})/;
  building at STEP "RUN {command…}": {|error }while running runtime: exit status {code}; /executor failed running \[(?:\/bin\/(?:ba)?sh (?:-o pipefail )?-c )?(?<command>.{1,300})\]: exit code: (?<code>\d{1,3})/; failed to execute command: waiting for process to exit: exit status {code}
  | a command of the build failed, exit code {code|unknown}: {command} | run it in the app folder to see why, and correct or remove it | deployment.shell_commands
`,
];
