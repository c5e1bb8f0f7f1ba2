import { type ParserOptions, parserTimeoutMs, runWithInput } from '../../app/python-syntax.ts';
import { lineAt } from '../../kernel/groups.ts';
import { folderOnPath } from '../../kernel/interpreters.ts';
import type { LookedApp } from './looked-app.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';

/** Scripts of a shell that are started, or that the build runs. */
export async function lookAtShellScripts({ shipment }: LookedApp, parser: ParserOptions): Promise<SeenCause[]> {
  const isScript = (file: string) => /\.sh$/.test(file) || /^#!.*\b(?:ba|da)?sh\b/.test(shipment.read(file));
  const scripts = shipment.startedFiles().filter((file) => isScript(file) && !shipment.read(file).includes('\r'));
  const errors = await Promise.all(scripts.map((file) => errorIn(file, shipment.read(file), parser)));
  return [...errors.flat(), ...scripts.flatMap((file) => endedLine(file, shipment.read(file)))];
}

async function errorIn(file: string, text: string, parser: ParserOptions): Promise<SeenCause[]> {
  const error = await shellSyntaxError(text, parser);
  if (!error) return [];
  // One that is noticed at the end is shown at the last line that has a command.
  const line = Math.min(error.line, text.trimEnd().split('\n').length);
  return [say('shell-syntax-error', { problem: error.said.replace('syntax error: ', '') }, { at: { file, line } })];
}

function endedLine(file: string, text: string): SeenCause[] {
  const at = text.search(/^[^#\n]*\\[ \t]+$/m);
  return at < 0 ? [] : [say('shell-syntax-error blanks', {}, { at: { file, line: lineAt(text, at) } })];
}

/** The syntax error of a script, as Bash says it. Nothing of it is run. Undefined without one, and without Bash. */
async function shellSyntaxError(script: string, { env, signal }: ParserOptions) {
  if (process.platform === 'win32' || folderOnPath('bash', env) === undefined) return undefined;
  // Other variables may name a file that Bash runs first.
  const shellOptions = { env: { PATH: env.PATH, LC_ALL: 'C' }, signal };
  const { stderr } = await runWithInput('bash', ['-n'], script, { ...shellOptions, timeoutMs: parserTimeoutMs });
  const [, line, said] = /^bash: line (\d+): (.+)$/m.exec(stderr) ?? [];
  return said === undefined ? undefined : { line: Number(line), said };
}
