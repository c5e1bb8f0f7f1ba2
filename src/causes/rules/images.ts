import { type FailureRule, rows } from '../rule.ts';

/** Images, their registries and Dockerfiles. */
export const imageRules: readonly FailureRule[] = [
  ...rows`
binary-incompatible | ELF load command address/offset not properly aligned | a compiled library of a package is damaged: it was changed after its installation | run no strip and no upx over the .so files of wheels, and install the package again | dependencies.pip
1 image-not-found | ErrImagePull; ImagePullBackOff | the image cannot be pulled | correct its name and tag; a private image needs a login | deployment.docker_base_image_url
image-rate-limited | toomanyrequests:  | the registry of the base image limits how often it is pulled | log in with docker login before the deploy, or use another registry | deployment.docker_base_image_url
5 copy-source-missing | CopyIgnoredFile: Attempting to Copy file "{path}" that is excluded by .dockerignore | the Dockerfile copies {path}, which .dockerignore leaves out | remove its pattern from .dockerignore, or add !{path} below it | runtime.custom.dockerfile_path
dockerfile-missing | failed to read dockerfile: open {path}: no such file; evaluate symlinks in Dockerfile path: lstat {path}: no such file; Cannot locate specified {path} | {path} is not in the app | correct dockerfile_path, or add the file; .dockerignore may not list it | runtime.custom.dockerfile_path
image-without-command | o command specified; o command or entrypoint provided | the image says no command to run | add a CMD line to the Dockerfile, or set entrypoint | runtime.custom.dockerfile_path
3 image-not-found | failed to resolve source metadata for {image}: …not found$; failed to solve: {image}: …: not found$; manifest for {image} not found; manifest unknown; /Failed to pull image "(?<image>[^"]{1,200})".{0,400}not found/;
  /(?:^|: )(?:failed to parse stage name "(?<image>[^"]{1,200})": )?invalid reference format/
  | the base image {image} does not exist | correct its name and tag | deployment.docker_base_image_url
network-failed | /"https:\/\/(?<host>[\w.:-]{1,100})\/v2\/.{0,300}(?:dial tcp.{0,200}(?:no such host|connection refused|i\/o timeout|network is unreachable)|TLS handshake timeout|request canceled|deadline exceeded|EOF)/ | the registry of the base image cannot be reached: {host} | check the network of the machine that builds the image; a base image that it has already needs no registry
6 image-access-denied | pull access denied for {image}; /(?:^|failed to solve: )(?!ERROR:)(?<image>[\w./:@-]{1,200}): (?:failed to resolve source metadata for \S{1,200}: )?pull access denied/;
  Failed to pull image "{image}"…{401 Unauthorized|401 Forbidden|403 Unauthorized|403 Forbidden|unauthorized|denied}; failed to resolve source metadata for {image}: …{401 Unauthorized|401 Forbidden|403 Unauthorized|403 Forbidden|unauthorized|denied};
  Error response from daemon: …{unauthorized|401 Unauthorized|401 Forbidden|403 Unauthorized|403 Forbidden}; pull access denied, repository does not exist; unauthorized: authentication required
  | the base image {image} does not exist, or its registry refuses the login | correct its name; if it is private, or pulls without a login are over their limit, log in with docker login, and deploy again: gantry sends the login of the registries that the app uses | deployment.docker_base_image_url
wrong-architecture | exec format error; Exec format error | a program is made for another processor than that of the machine, or a script does not begin with #! | build it for that machine (--platform linux/amd64, as this platform has it); let a script begin with #!/bin/sh, without a blank line before
copy-source-missing | .go:{line} pattern {path}: no matching files found | go:embed names {path}, which is not in the image | copy it there before go build, and leave it in (!{path} in .dockerignore)
wrong-architecture | no matching manifest for {platform}; qemu-…{|-static}: Could not open '/lib; no match for platform in manifest; rosetta error: failed to open elf; Unsupported system page size; qemu: uncaught target signal; invalid ELF header
  | an image or a program is made for another processor or system than the machine that runs it | build or choose it for that machine: --platform linux/amd64, as this platform has it, or linux/arm64 (Apple silicon, Raspberry Pi); install node_modules in the image instead of copying them | deployment.docker_base_image_url
3 dockerfile-invalid † | /[Dd]ockerfile parse error(?: on)? ?(?:line (?<line>\d{1,6}))?:? ?(?<problem>.{1,120})/; /^(?:ERROR: |Error response from daemon: )?(?<problem>[Uu]nknown instruction: .{1,80})/; /(?<problem>the Dockerfile \([^)]{1,80}\) cannot be empty)/;
  /(?<problem>base name \([^)]{1,80}\) should not be blank)/; /(?<problem>Unknown instruction: "\w{1,40}")/; /building at STEP ".{1,400}": (?<problem>[A-Z]{1,20} requires .{1,60})/; /(?<problem>COPY --from=\S{1,80}: no stage or image found with that name)/;
  /(?<problem>When using (?:COPY|ADD) with more than one source file, the destination must be a directory)/; failed to process …: {problem…}; /(?<problem>the --\w{1,12} option requires BuildKit)/; /(?<problem>[Uu]nknown flag: \w{1,20})/;
  /(?<problem>target stage "?[\w.-]{1,60}"? could not be found|failed to reach build target \S{1,60} in Dockerfile)/; {problem=FROM requires either one or three arguments}; {problem=no build stage in current context}; {problem=no FROM statement found}; {problem=no stages to build};
  {problem=ENV must have two arguments}; {problem=Missing command after HEALTHCHECK CMD}
  | the Dockerfile is not valid: {problem} | correct that line of the Dockerfile | runtime.custom.dockerfile_path
user-missing | unable to find {user|group} {user}: no matching entries in | the user {user} of the Dockerfile is not in the image | make that user above the USER line (RUN useradd {user}), or write a number | runtime.custom.dockerfile_path
copy-source-missing † | first: /failed to calculate checksum of ref \S{1,200}: "\/?(?<path>[^"]{1,200})": not found/; /failed to compute cache key: "\/?(?<path>[^"]{1,200})":? not found/;
  /\b(?:COPY|ADD) failed: .{0,120}stat (?:\/var\/lib\/docker\/tmp\/[\w-]{1,60}\/)?(?<path>[^:]{1,200}): (?:file does not exist|no such file or directory)/; /copier: stat: "\/?(?<path>[^"]{1,200})": no such file or directory/;
  ^{|ADD failed: |COPY failed: |ERROR: }lstat {path…}: no such file or directory$; no items matching glob "{path}" copied
  | the Dockerfile copies {path}, which is not sent | add {path} to the app folder and to include, or remove it from exclude and from .dockerignore | runtime.custom.dockerfile_path
image-not-found | short-name "{image}" did not resolve to an alias | podman on this machine does not know the registry of the short name {image} | write the whole name, such as docker.io/library/{image}; or list docker.io in unqualified-search-registries of registries.conf | deployment.docker_base_image_url
5 dockerfile-invalid | /\bsh: (?:(?:line )?\d{1,3}: )?(?<problem>\[["'\w./-]{1,80}),?: (?:command )?not found/ | CMD or ENTRYPOINT is not valid JSON, so a shell runs it: {problem} | write the list with double quotes and commas only: CMD ["uvicorn", "main:app"] | runtime.custom.dockerfile_path
`,
];
