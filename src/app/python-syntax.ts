import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readRegular } from '../kernel/disk/index.ts';
import type { FileLocation, Problem } from '../kernel/errors.ts';
import { folderOnPath, locatePython } from '../kernel/interpreters.ts';
import { defined } from '../kernel/json-text.ts';
import { isOlder } from './wheels.ts';

export interface PythonSource {
  path: string;
  shownAs: string;
  /** The version that the app runs with: `3.12`. */
  pythonVersion: string;
}

export interface ParserOptions {
  /** The interpreter is looked up in its PATH, and its HOME. */
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
  onOtherVersion?: ((version: string, wanted: string) => void) | undefined;
}

/** Nothing is run or written. Empty if there is no error, no Python, or no result in time. */
export async function findSyntaxErrors(source: PythonSource, options: ParserOptions): Promise<Problem[]> {
  const [program, ...first] = interpreter(source.pythonVersion, options.env);
  const code = program === undefined ? undefined : await readRegular(source.path).catch(() => undefined);
  if (program === undefined || code === undefined) return [];
  const args = [...first, ...flags, source.pythonVersion];
  const { stdout: said } = await runWithInput(program, args, code, { ...options, timeoutMs: parserTimeoutMs });
  const [version = '', message, ...numbers] = said.trim().split('\0');
  if (!/^\d+\.\d+$/.test(version)) return [];
  if (message !== undefined && numbers.length === 4) {
    const [line = 0, column = 0, endLine = 0, endColumn = 0] = numbers.map(Number);
    return [toProblem(source, String(code), { version, message, line, column, endLine, endColumn })];
  }
  if (version !== source.pythonVersion) options.onOtherVersion?.(version, source.pythonVersion);
  return [];
}

interface SyntaxFailure {
  version: string;
  message: string;
  /** From 1; 0 if unknown. Columns are in code points. */
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

/** Compiles stdin: only the compiler knows errors such as `return` outside of a function. */
const parser = `
import sys
code = sys.stdin.buffer.read()
wanted = tuple(int(number) for number in sys.argv[1].split("."))
try:
    # Columns are right only in text, but only bytes may declare their encoding.
    if not any(b"coding" in line for line in code[:1000].splitlines()[:2]):
        code = code.decode("utf-8-sig")
except ValueError:
    pass
try:
    if wanted < sys.version_info[:2]:
        import ast
        ast.parse(code, "<app>", feature_version=wanted)
    compile(code, "<app>", "exec", 0, True)
    print("%d.%d" % sys.version_info[:2])
except (SyntaxError, ValueError) as error:
    # NUL is a ValueError for some versions.
    at = [getattr(error, name, 0) for name in ("lineno", "offset", "end_lineno", "end_offset")]
    message = str(getattr(error, "msg", error))
    fields = ["%d.%d" % sys.version_info[:2], message] + [str(number or 0) for number in at]
    sys.stdout.buffer.write("\\0".join(fields).encode("utf-8", "replace"))
except Exception:
    pass
`;

/** Isolated from the working directory, the environment and installed packages, none of which a parser needs. */
const flags = ['-I', '-S', '-W', 'ignore', '-c', parser];

/** Parsing takes milliseconds. A huge file is not worth a wait. */
export const parserTimeoutMs = 5_000;

/** What a program says of its input, within some time: of one that fails, only on stderr. */
export function runWithInput(
  program: string,
  args: string[],
  input: Buffer | string,
  { env, signal, timeoutMs }: Pick<ParserOptions, 'env' | 'signal'> & { timeoutMs: number },
): Promise<{ error: ExecFileException | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const limits = { timeout: timeoutMs, killSignal: 'SIGKILL', windowsHide: true } as const;
    const child = execFile(program, args, { env, ...limits, ...defined({ signal }) }, (error, stdout, stderr) =>
      resolve({ error, stdout: error ? '' : stdout, stderr }),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** Empty if there is none. On Windows, `python3` may be a program that only opens the store. */
function interpreter(version: string, env: NodeJS.ProcessEnv): string[] {
  if (!env.PATH) return [];
  if (process.platform === 'win32') return ['py', '-3'];
  const located = locatePython(version, env);
  if (located !== undefined) return [located];
  const folder = folderOnPath('python3', env);
  return folder === undefined || isInstaller(folder) ? [] : ['python3'];
}

/** Without the developer tools, the `python3` of macOS opens a window that offers to install them. */
function isInstaller(folder: string): boolean {
  if (process.platform !== 'darwin') return false;
  const tools = ['/Library/Developer/CommandLineTools/usr/bin/python3', '/Applications/Xcode.app'];
  return folder === '/usr/bin' && !tools.some((file) => existsSync(file));
}

/** An older Python does not know the syntax of newer ones, so what it reports may be correct there. */
function toProblem({ shownAs, pythonVersion }: PythonSource, code: string, failure: SyntaxFailure): Problem {
  const { version, message } = failure;
  const mayBeRight = isOlder(version, pythonVersion);
  const location = locate(shownAs, code, failure);
  return {
    severity: mayBeRight ? 'warning' : 'error',
    message: mayBeRight ? `${shownAs} may have a syntax error` : `${shownAs} has a syntax error`,
    location,
    why: mayBeRight ? `${message} (Python ${version} on this machine; the app has ${pythonVersion})` : message,
  };
}

/** Undefined if Python does not say where. An error at the end of the file is shown at its last line with code. */
function locate(
  file: string,
  code: string,
  { line, column, endLine, endColumn }: SyntaxFailure,
): FileLocation | undefined {
  const lines = code.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  const lastUsed = lines.findLastIndex((text) => text.trim() !== '') + 1;
  const shownLine = Math.min(line, lastUsed);
  const text = lines[shownLine - 1];
  if (text === undefined) return undefined;
  const end = [...text].length + 1;
  const from = line > lastUsed ? end : Math.min(Math.max(1, column), end);
  const length = endLine === line && line === shownLine ? endColumn - column : 1;
  return { file, line: shownLine, column: from, length: Math.max(1, Math.min(length, end - from)), text };
}
