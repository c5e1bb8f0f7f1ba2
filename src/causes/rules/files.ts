import { type FailureRule, rows, rowsWith } from '../rule.ts';

/** Files of the app and of the machine. */
export const fileRules: readonly FailureRule[] = [
  ...rows`
permission-denied | ^E: …(13: Permission denied); ^E: …are you root? | apt has to run as root, and the image has another user | install apt packages before the USER line of the Dockerfile, or write USER root above the command | runtime.custom.dockerfile_path
2 file-not-found | /^(?:FileNotFound|IO|OS)Error: \[Errno 2\] No such file or directory: '(?<path>[^']{1,300})'(?! ->)/; ^{cp|mv|cat|ls|chmod|tar|source|bash|sh|rm|ln}: …{|cannot stat |cannot access |cannot open }{|'|‘}{path}{|'|’}: No such file or directory$;
  /open\(\) "(?=[^"]{0,200}index\.html"|(?!.*, client: ))(?<path>[^"]{1,200})" failed \(2: No such file/; ENOENT: no such file or directory, … '{path}'; Cannot find module '{path}'; Can't resolve '{path}'
  | {path} does not exist | add it to the app folder (capitals count on Linux), make it in the build, or copy it to a volume and read it from /persistent-storage
3 permission-denied | /^PermissionError: \[Errno (?:13|1)\] (?:Permission denied|Operation not permitted)(?:: '(?<path>[^']{1,300})')?/ | permission denied: {path} | write to /persistent-storage or /tmp (HF_HOME and XDG_CACHE_HOME name caches), or give the user of the image permission to write there
3 file-not-found | ^RuntimeError: {StaticFiles d|D}irectory '{path}' does not exist; TemplateNotFound: {|'}{path}; TemplateDoesNotExist: {path}; failed to stat file {path}; Model path does not exist: {path}; not find model file path {path}; SavedModel file does not exist at: {path}/{;
  SavedModel file does not exist at: {path}$; NO_SUCHFILE : Load model from {path} failed; unable to find '{path}'… for model; nable to {|synchronously }open file (unable to open file: name = '{path}'; ^ValueError: Could not open '{path}'; imread_('{path}'): can't open/read file: check file path;
  ^OSError: cannot open resource$
  | {path|a font or another file} does not exist | add it to the app folder and to include, or copy it to a volume; name it by a path from the folder of the file that uses it
permission-denied | ^Error: [Errno 13] Permission denied: '{path}'; : {path}: bad interpreter: Permission denied; failed to … \`{path}\`: Permission denied (os error 13);
  /^ERROR: Could not install packages due to an (?:OSError|EnvironmentError): \[Errno 13\] Permission denied(?:: '(?<path>[^']{1,300})')?/; Failed to initialize cache at \`{path}\`
  | the user of the image has no permission to use {path|the folder of packages} | make that user the owner of the folder before the USER line of the Dockerfile (chown), or install packages before it, or in a virtual environment of that user; for uv, UV_CACHE_DIR=/tmp/uv and uv run --no-sync | runtime.custom.dockerfile_path
`,
  ...rowsWith({
    applies: ({ path = '' }) =>
      /\.(?:sh|py|bash|bin)$|^\.?\//.test(path) &&
      !/\/$|\.(?:conf|cfg|env|ini|json|log|pid|toml|txt|ya?ml)$/.test(path),
  })`
permission-denied | /^\S{0,60}(?:bash|sh)?: (?:line )?\d{0,6}:? ?(?<path>[\w./-]{1,200}): Permission denied$/; exec{|:} {|"}{path}{|"}: permission denied | {path} is not executable | chmod +x {path}, and commit that; or start it by its interpreter, as in bash {path}
`,
  ...rows`
3 permission-denied | {mkdir|cp|touch|tee|install|ln|mv}: can{not|'t} create {directory|regular file|symbolic link|hard link} {'|‘}{path}{'|’}: Permission denied$; : can{'t|not} create {path}: Permission denied$; ^touch: cannot touch {'|‘}{path}{'|’}: Permission denied$;
  ^{chown|chmod|mount}: …: Operation not permitted$; RuntimeError: cannot cache function …: no locator available; /^(?:NoWritableEnvsDirError|NotWritableError|EnvironmentNotWritableError): /; EACCES: permission denied, … '{path}';
  {mkdir|open|create|unlink|chown|lchown|rename} {path}: permission denied; () "{path}" failed (13: Permission denied); "{path}" could not be opened in append mode; open the append-only file: Permission denied; Could not open file '{path}' for error logging: Permission denied; ({Errcode|OS errno}{|:} 13 - Permission denied); could not {change permissions of|create} directory "{path}": {Permission denied|Operation not}
  | the user of the image has no permission to write: {path} | write to /persistent-storage or /tmp (NUMBA_CACHE_DIR, HF_HOME and XDG_CACHE_HOME name caches), or make that user the owner of the folder before the USER line of the Dockerfile
port-not-allowed | after /server_bind|\.bind\(|create_server|in bind\b/: ^PermissionError: [Errno 13] Permission denied$ | the server may not listen on a port below 1024 | listen on another port, such as 8000, and name it in [cerebrium.runtime.custom]: port = 8000 | runtime.custom.port
port-not-allowed | [Errno 13] error while attempting to bind on address ('…', {port}): permission denied; bind() to …:{port} failed (13: Permission denied); {C|c}an't connect to ('…', {port}); listen tcp …:{port}: bind: permission denied; ('…', {port}) failed: [Errno 13] Permission denied;
  listen EACCES: permission denied …:{port}
  | the server may not listen on port {port}: ports below 1024 need root | listen on another port, such as 8000, and name it in [cerebrium.runtime.custom]: port = 8000 | runtime.custom.port
file-system-read-only | /(?:\[Errno 30\] |: |")Read-only file system(?:: '(?<path>[^']{1,200})')?/; : read-only file system | the app writes to a folder that is read-only: {path} | write to /tmp or /persistent-storage
file-encoding | ^SyntaxError: {|(unicode error) }Non-UTF-8 code …in file {path}; ^{SyntaxError|ValueError}: source code {|string }cannot contain null bytes; ^UnicodeDecodeError: '…' codec can't decode byte; ^UnicodeEncodeError: '{ascii|latin-1}' codec can't encode;
  ^SyntaxError: (unicode error) '…' codec can't decode; stream did not contain valid UTF-8; Click will abort further execution because Python was configured to use ASCII
  | a file or a text has another encoding than the code expects: {path} | save it as UTF-8, or name its encoding: open(path, encoding="latin-1"); for ASCII, set LANG=C.UTF-8
3 file-invalid † | {TOML|Toml}DecodeError: {problem…}; /^(?:\S{1,120}: )?yaml: (?<problem>line \d{1,6}: .{1,120})/; /^yaml\.(?:scanner|parser|composer)\.\w{1,30}Error: (?<problem>.{1,120})/; /(?<problem>The Poetry configuration is invalid)/; TOML parse error at {problem…}; /(?<problem>No \`project\` table found in: \S{1,120})/ | a file of the app is not valid: {problem} | correct it at the line and column that the message names
3 file-invalid | after /\bjson\.load\(/: JSONDecodeError: {problem…} | a JSON file of the app is not valid: {problem} | correct it at the line and column that the message names
file-not-found | The file at {path} does not exist, or it is not a file | {path}, which GOOGLE_APPLICATION_CREDENTIALS or another variable names, is not in the image | write it from a secret when the app starts, and name its whole path; where the cloud itself gives credentials, unset the variable
5 git-lfs-pointer | /is a (?:git[- ])?lfs pointer/i; invalid magic {characters|number}{|:} {|'}{vers|76657273}; version https://git-lfs.github.com/spec/v1; Unexpected token 'v', "version ht; UnpicklingError: invalid load key, 'v'; without having git-lfs installed; WeightsUnpickler error: Unsupported operand 118 | a file is only a pointer of Git LFS, not its content | git lfs pull before the deploy
`,
];
