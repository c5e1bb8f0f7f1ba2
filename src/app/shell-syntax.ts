import { folderOnPath } from '../kernel/interpreters.ts';
import { type ParserOptions, runParser } from './python-syntax.ts';

/** The syntax error of a script, as Bash says it. Nothing of it is run. Undefined without one, and without Bash. */
export async function shellSyntaxError(script: string, { env, signal }: ParserOptions) {
  if (process.platform === 'win32' || folderOnPath('bash', env) === undefined) return undefined;
  // Other variables may name a file that Bash runs first.
  const own = { env: { PATH: env.PATH, LC_ALL: 'C' }, signal };
  const { stderr } = await runParser('bash', ['-n'], Buffer.from(script), own);
  const [, line, said] = /^bash: line (\d+): (.+)$/m.exec(stderr) ?? [];
  return said === undefined ? undefined : { line: Number(line), said };
}
