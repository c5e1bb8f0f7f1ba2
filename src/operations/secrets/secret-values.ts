import type { Context } from '../../context.ts';
import type { Secrets } from '../../contract/secrets.ts';
import { UsageError } from '../../errors.ts';
import { isSecretName, readEnvFile, secretNameFormat } from '../../project/env-file.ts';
import { readNamedFile } from '../input/index.ts';

/** Where the values come from. Without any of these they are asked for. */
export interface SecretValueSource {
  /** A file that holds one value; `-` is stdin. */
  fromFile?: string | undefined;
  /** From variables of the same names. */
  fromEnv?: boolean | undefined;
  /** Keep the newline at the end of a file. */
  raw?: boolean | undefined;
}

type Reading = Pick<Context, 'prompt' | 'readStdin' | 'cwd' | 'env' | 'secrets' | 'signal'>;

/** Throws UsageError for what cannot be a name. A value that was typed where a name belongs is not said again. */
export function checkSecretNames(names: string[]): void {
  for (const [index, name] of names.entries()) {
    if (isSecretName(name)) continue;
    if (name.includes('=')) throw valueInArgumentsError(name);
    throw new UsageError(`argument ${index + 1} cannot be the name of a secret`, { why: secretNameFormat });
  }
}

/** One value for each name. Throws UsageError where there is none. */
export async function readSecretValues(context: Reading, names: string[], source: SecretValueSource): Promise<Secrets> {
  const { fromFile, fromEnv, raw } = source;
  const [first = '', ...more] = names;
  if (fromFile !== undefined && fromEnv) throw new UsageError('the value is from a file or the environment, not both');
  if (fromFile !== undefined && more.length > 0) {
    throw new UsageError('--from-file holds the value of one secret', { fix: 'gantry secrets import FILE takes many' });
  }
  if (fromFile !== undefined) {
    const text = await readText(context, fromFile);
    return { [first]: checkNotEmpty(first, raw ? text : text.replace(/\r?\n$/, '')) };
  }
  const values: [name: string, value: string][] = [];
  for (const name of new Set(names)) {
    const value = fromEnv
      ? (ownValue(context.env, name) ?? throwNotInEnvironment(name))
      : await context.prompt.secret(`Value of ${name}`, { flag: '--from-file FILE (- is stdin) or --from-env' });
    values.push([name, checkNotEmpty(name, value)]);
  }
  return Object.fromEntries(values);
}

/** The secrets in a file of `NAME=value` lines, or in one JSON object; `-` is stdin. Throws UsageError, ProjectError. */
export async function readSecretsFile(context: Reading, file: string): Promise<Secrets> {
  const values = readEnvFile(await readText(context, file), file === '-' ? 'stdin' : file);
  context.secrets.add(...Object.values(values));
  return values;
}

async function readText(context: Reading, file: string): Promise<string> {
  const text = file === '-' ? await context.readStdin() : String(await readNamedFile(context, file));
  if (!text.includes('\uFFFD')) return text;
  throw new UsageError(`${file === '-' ? 'stdin' : file} is not UTF-8 text`, {
    fix: 'encode it first, such as by base64',
  });
}

/** An empty value is nearly always a variable that somebody forgot to set, or an Enter too early. */
function checkNotEmpty(name: string, value: string): string {
  if (value !== '') return value;
  throw new UsageError(`the value of ${name} is empty`, {
    why: 'that is nearly always a mistake',
    fix: `to set it so all the same: echo ${name}= | gantry secrets import -`,
  });
}

/** `__proto__` is no variable, and no value either. */
function ownValue(env: Context['env'], name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

function throwNotInEnvironment(name: string): never {
  throw new UsageError(`${name} is not set in the environment`, { why: '--from-env takes the value from there' });
}

/**
 * A value on the command line would be in the shell history and the process list. `c2VjcmV0==` is a value with padding
 * and has no name.
 */
function valueInArgumentsError(word: string): UsageError {
  const [, name = 'NAME'] = /^([A-Za-z_][\w.-]*)=(?!=*$)/.exec(word) ?? [];
  return new UsageError('a value is not taken from the command line', {
    why: 'the history of your shell keeps what you type, and other programs see it: if it was real, change it',
    fix: `gantry secrets set ${name} asks for it; --from-file and --from-env take it from elsewhere`,
  });
}
