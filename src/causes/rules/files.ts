import { type FailureRule, messageRows, texts } from '../rule.ts';

/** Files of the app and of the machine. */
export const fileRules: readonly FailureRule[] = [
  ...messageRows(`
permission-denied | ^E: …(13: Permission denied); ^E: …are you root? | apt has to run as root, and the image has another user | install apt packages before the USER line of the Dockerfile, or write USER root above the command | runtime.custom.dockerfile_path
`),
  {
    cause: 'file-not-found',
    rank: 2,
    signs: {
      '[Errno 2] No such file':
        /^(?:FileNotFound|IO|OS)Error: \[Errno 2\] No such file or directory: '(?<path>[^']{1,300})'(?! ->)/,
      'No such file or directory':
        /^(?:cp|mv|cat|ls|chmod|tar|source|bash|sh|rm|ln): (?:line \d{1,6}: )?(?:cannot (?:stat|access|open) )?['‘]?(?<path>[^'’:]{1,200})['’]?: No such file or directory$/,
      ': no such file or directory':
        /\b(?:open|stat|chdir)(?: to cwd)? \(?["']?(?<path>[\w./-]{1,200})["']?\)?(?: set in config\.json failed)?: no such file or directory/,
      'failed (2: No such file':
        /open\(\) "(?=[^"]{0,200}index\.html"|(?!.*, client: ))(?<path>[^"]{1,200})" failed \(2: No such file/,
      ENOENT: /ENOENT: no such file or directory, \w{1,12} '(?<path>[^']{1,200})'/,
      "annot find module '": /Cannot find module '(?<path>[./][^']{1,200})'/,
      "an't resolve '": /Can't resolve '(?<path>(?:\.|[@~]\/)[^']{1,200})'/,
    },
    title: '{path} does not exist',
    fix: 'add it to the app folder (capitals count on Linux), or copy it to a volume and read it from /persistent-storage',
  },
  {
    cause: 'permission-denied',
    rank: 3,
    signs: {
      'PermissionError: ':
        /^PermissionError: \[Errno (?:13|1)\] (?:Permission denied|Operation not permitted)(?:: '(?<path>[^']{1,300})')?/,
      ': Permission denied': /^\S{0,40}(?:bash|sh)?: (?:line )?\d{0,6}:? ?(?<path>[\w./-]{1,200}): Permission denied$/,
      ': permission denied': /exec: "(?<path>[^"]{1,200})": permission denied/,
    },
    title: 'permission denied: {path}',
    fix: 'write to /persistent-storage or /tmp (HF_HOME and XDG_CACHE_HOME name caches), or give the user of the image permission to write there',
  },
  {
    cause: 'file-not-found',
    rank: 3,
    signs: {
      "irectory '": /^RuntimeError: (?:StaticFiles d|D)irectory '(?<path>[^']{1,200})' does not exist/,
      TemplateNotFound: /TemplateNotFound: '?(?<path>[\w./-]{1,200})/,
      TemplateDoesNotExist: /TemplateDoesNotExist: (?<path>[\w./-]{1,200})/,
      'failed to stat file': /failed to stat file (?<path>\S{1,200})/,
      'Model path does not exist': /Model path does not exist: (?<path>\S{1,200})/,
      'not find model file path': /not find model file path (?<path>\S{1,200})/,
      'found in directory': /^OSError: Error no file named .{1,200} found in directory (?<path>\S{1,200}?)\.?$/,
      'SavedModel file': /SavedModel file does not exist at: (?<path>\S{1,200}?)(?:\/\{|$)/,
      NO_SUCHFILE: /NO_SUCHFILE : Load model from (?<path>\S{1,200}) failed/,
      'unable to find': /unable to find '(?<path>[^']{1,200})'.{0,80} for model/,
      'open file (unable': /nable to (?:synchronously )?open file \(unable to open file: name = '(?<path>[^']{1,200})'/,
      "Could not open '": /^ValueError: Could not open '(?<path>[^']{1,200})'/,
      'check file path': /imread_\('(?<path>[^']{1,200})'\): can't open\/read file: check file path/,
      'cannot open resource': /^OSError: cannot open resource$/,
    },
    title: '{path|a font or another file} does not exist',
    fix: 'add it to the app folder and to include; name it by a path from the folder of the file that uses it',
  },
  {
    cause: 'permission-denied',
    signs: {
      '[Errno 13] Permission denied': /^Error: \[Errno 13\] Permission denied: '(?<path>[^']{1,300})'/,
      'bad interpreter: Permission denied': /: (?<path>[\w./-]{1,200}): bad interpreter: Permission denied/,
      'Permission denied (os error 13)':
        /failed to \w{1,20}[\w ]{0,20} `(?<path>[^`]{1,300})`: Permission denied \(os error 13\)/,
      'ERROR: Could not install packages':
        /^ERROR: Could not install packages due to an (?:OSError|EnvironmentError): \[Errno 13\] Permission denied(?:: '(?<path>[^']{1,300})')?/,
      'Failed to initialize cache at': /Failed to initialize cache at `(?<path>[^`]{1,200})`/,
    },
    title: 'the user of the image has no permission to use {path|the folder of packages}',
    fix: 'make that user the owner of the folder before the USER line of the Dockerfile (chown), or install packages before it, or in a virtual environment of that user; for uv, UV_CACHE_DIR=/tmp/uv and uv run --no-sync',
    at: 'runtime.custom.dockerfile_path',
  },
  {
    cause: 'permission-denied',
    signs: {
      ': Permission denied': /^\S{0,60}(?:bash|sh)?: (?:line )?\d{0,6}:? ?(?<path>[\w./-]{1,200}): Permission denied$/,
      ': permission denied': /exec:? "?(?<path>[^"\s]{1,200}?)"?: permission denied/,
    },
    applies: ({ path = '' }) =>
      /\.(?:sh|py|bash|bin)$|^\.?\//.test(path) &&
      !/\/$|\.(?:conf|cfg|env|ini|json|log|pid|toml|txt|ya?ml)$/.test(path),
    title: '{path} is not executable',
    fix: 'chmod +x {path}, and commit that; or start it by its interpreter, as in bash {path}',
  },
  {
    cause: 'permission-denied',
    rank: 3,
    signs: {
      ' create ':
        /(?:^|: )(?:mkdir|cp|touch|tee|install|ln|mv): can(?:not|'t) create (?:directory|regular file|symbolic link|hard link) ['‘](?<path>[^'’]{1,200})['’]: Permission denied$/,
      'create ': /: can(?:'t|not) create (?<path>[\w./-]{1,200}): Permission denied$/,
      'cannot touch': /^touch: cannot touch ['‘](?<path>[^'’]{1,200})['’]: Permission denied$/,
      'Operation not permitted': /^(?:chown|chmod|mount): .{1,200}: Operation not permitted$/,
      'no locator available': /RuntimeError: cannot cache function .{1,160}: no locator available/,
      NotWritableError: /^(?:NoWritableEnvsDirError|NotWritableError|EnvironmentNotWritableError): /,
      EnvsDirError: /^NoWritableEnvsDirError: /,
      'EACCES: permission denied': /EACCES: permission denied, \w{1,20} '(?<path>[^']{1,200})'/,
      ': permission denied': /\b(?:mkdir|open|create|unlink|l?chown|rename) (?<path>\/\S{1,200}): permission denied/,
      'failed (13: Permission denied)': /\b\w{1,12}\(\) "(?<path>[^"]{1,200})" failed \(13: Permission denied\)/,
      'ermission denied':
        /\b(?:open|creat|writ|read|access|mkdir|chmod|chown)\w{0,4}\b.{0,200}: [Pp]ermission denied\.?$/,
      'could not change permissions':
        /could not (?:change permissions of|create) directory "(?<path>[^"]{1,200})": (?:Permission denied|Operation not)/,
    },
    title: 'the user of the image has no permission to write: {path}',
    fix: 'write to /persistent-storage or /tmp (NUMBA_CACHE_DIR, HF_HOME and XDG_CACHE_HOME name caches), or make that user the owner of the folder before the USER line of the Dockerfile',
  },
  {
    cause: 'port-not-allowed',
    signs: { 'PermissionError: ': /^PermissionError: \[Errno 13\] Permission denied$/ },
    after: /server_bind|\.bind\(|create_server|in bind\b/,
    title: 'the server may not listen on a port below 1024',
    fix: 'listen on another port, such as 8000, and name it in [cerebrium.runtime.custom]: port = 8000',
    at: 'runtime.custom.port',
  },
  {
    cause: 'port-not-allowed',
    signs: {
      'attempting to bind':
        /\[Errno 13\] error while attempting to bind on address \('[^']{1,60}', (?<port>\d{1,5})\): permission denied/,
      'bind() to': /bind\(\) to \S{0,60}:(?<port>\d{1,5}) failed \(13: Permission denied\)/,
      "an't connect to (": /[Cc]an't connect to \('[^']{1,60}', (?<port>\d{1,3})\)/,
      'bind: permission denied': /listen tcp \S{0,60}:(?<port>\d{1,5}): bind: permission denied/,
      'Permission denied': /\('[^']{1,60}', (?<port>\d{1,3})\) failed: \[Errno 13\] Permission denied/,
      EACCES: /listen EACCES: permission denied \S{0,60}:(?<port>\d{1,5})/,
    },
    title: 'the server may not listen on port {port}: ports below 1024 need root',
    fix: 'listen on another port, such as 8000, and name it in [cerebrium.runtime.custom]: port = 8000',
    at: 'runtime.custom.port',
  },
  {
    cause: 'file-system-read-only',
    signs: {
      'Read-only file system': /(?:\[Errno 30\] |: |")Read-only file system(?:: '(?<path>[^']{1,200})')?/,
      'read-only file system': /: read-only file system/,
    },
    title: 'the app writes to a folder that is read-only: {path}',
    fix: 'write to /tmp or /persistent-storage',
  },
  {
    cause: 'file-encoding',
    inFiles: true,
    signs: {
      'Non-UTF-8 code': /^SyntaxError: (?:\(unicode error\) )?Non-UTF-8 code .{0,80}in file (?<path>\S{1,200})/,
      'null bytes': /^(?:SyntaxError|ValueError): source code (?:string )?cannot contain null bytes/,
      UnicodeDecodeError: /^UnicodeDecodeError: '[\w-]{1,20}' codec can't decode byte/,
      UnicodeEncodeError: /^UnicodeEncodeError: '(?:ascii|latin-1)' codec can't encode/,
      'unicode error': /^SyntaxError: \(unicode error\) '\S{1,20}' codec can't decode/,
      ...texts(`stream did not contain valid UTF-8;
        Click will abort further execution because Python was configured to use ASCII`),
    },
    title: 'a file or a text has another encoding than the code expects: {path}',
    fix: 'save it as UTF-8, or name its encoding: open(path, encoding="latin-1"); for ASCII, set LANG=C.UTF-8',
  },
  {
    cause: 'file-invalid',
    inFiles: true,
    rank: 3,
    signs: {
      DecodeError: /(?:TOML|Toml)DecodeError: (?<problem>.{1,120})/,
      'yaml: line': /^(?:\S{1,120}: )?yaml: (?<problem>line \d{1,6}: .{1,120})/,
      'yaml.': /^yaml\.(?:scanner|parser|composer)\.\w{1,30}Error: (?<problem>.{1,120})/,
      'onfiguration is invalid': /(?<problem>The Poetry configuration is invalid)/,
      'TOML parse error': /TOML parse error at (?<problem>line \d{1,6}, column \d{1,6})/,
      '`project` table': /(?<problem>No `project` table found in: \S{1,120})/,
    },
    title: 'a file of the app is not valid: {problem}',
    fix: 'correct it at the line and column that the message names',
  },
  {
    cause: 'file-invalid',
    rank: 3,
    signs: { JSONDecodeError: /JSONDecodeError: (?<problem>.{1,120})/ },
    after: /\bjson\.load\(/,
    title: 'a JSON file of the app is not valid: {problem}',
    fix: 'correct it at the line and column that the message names',
  },
  {
    cause: 'git-lfs-pointer',
    inFiles: true,
    rank: 5,
    signs: {
      ' pointer': /is a (?:git[- ])?lfs pointer/i,
      'invalid magic': /invalid magic (?:characters|number):? '?(?:vers|76657273)/,
      ...texts(
        `version https://git-lfs.github.com/spec/v1; Unexpected token 'v', "version ht; UnpicklingError: invalid load key, 'v'`,
      ),
    },
    title: 'a file is only a pointer of Git LFS, not its content',
    fix: 'git lfs pull before the deploy',
  },
];
