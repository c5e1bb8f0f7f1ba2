import { isSecretName, readEnvFile, secretNameFormat } from '../../app/env-file.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { readNamedFile } from '../../kernel/disk/index.ts';
import { UsageError } from '../../kernel/errors.ts';
import type { Context } from '../../platform/context.ts';
import type { Secrets } from '../../platform/contract/secrets.ts';

/** Source of the values. Without one, the values are prompted for. */
export interface SecretValueSource {
  /** A file with one value; `-` is stdin. */
  fromFile?: string | undefined;
  /** Read environment variables of the same names. */
  fromEnv?: boolean | undefined;
  /** Keep the newline at the end of the file. */
  keepNewline?: boolean | undefined;
}

type Asking = Pick<Context, 'prompt'>;
type Reading = Pick<Context, 'prompt' | 'readStdin' | 'cwd' | 'env' | 'secrets' | 'signal'>;

/** Throws UsageError for invalid names, without repeating them: they may be values typed by mistake. */
export function checkSecretNames({ prompt }: Asking, names: string[]): void {
  for (const [index, name] of names.entries()) {
    if (isSecretName(name)) continue;
    if (name.includes('=')) throw valueInArgumentsError(prompt, name);
    throw new UsageError(`argument ${index + 1} is not a valid secret name`, { why: secretNameFormat });
  }
}

/**
 * Throws UsageError for names that a new secret cannot have on the command line, without repeating them: `set NAME VALUE`,
 * as other programs have it, must not make a name of a value. A second word is a name only if it is one of the environment.
 */
export function checkNewSecretNames({ prompt }: Asking, [name = '', ...others]: string[], fromEnv = false): void {
  if (name.includes('=')) throw valueInArgumentsError(prompt, name);
  if (!isVariableName(name) || looksLikeValue(name)) {
    throw new UsageError('argument 1 is not a secret name', {
      why: 'the name of a new secret is that of an environment variable: letters, digits and underscores',
      fix: sentence`${gantryCommand`secrets set --from-env-file FILE`} takes other names, in lines of NAME=value`,
    });
  }
  const assignment = others.find((word) => /^[A-Za-z_][\w.-]*=/.test(word));
  if (assignment !== undefined) throw valueInArgumentsError(prompt, assignment);
  if (!fromEnv && others.length > 0) throw valueInArgumentsError(prompt, `${name}=x`);
}

/** Reads one value per name. Throws UsageError if one is missing or empty. */
export async function readSecretValues(context: Reading, names: string[], source: SecretValueSource): Promise<Secrets> {
  const { fromFile, fromEnv, keepNewline } = source;
  const [first = ''] = names;
  if (fromFile !== undefined) {
    const text = await readText(context, fromFile);
    return { [first]: checkNotEmpty(first, keepNewline ? text : text.replace(/\r?\n$/, '')) };
  }
  const values: [name: string, value: string][] = [];
  for (const name of new Set(names)) {
    const value = fromEnv
      ? (ownValue(context.env, name) ?? throwNotInEnvironment(names, name))
      : await context.prompt.secret(`Value of ${name}`, {
          flag: '--from-file - to read it from stdin, --from-file FILE or --from-env',
          retryWith: ['--from-file', '-'],
        });
    values.push([name, checkNotEmpty(name, value)]);
  }
  return Object.fromEntries(values);
}

/** Reads secrets from a file with `NAME=value` lines or a JSON object; `-` is stdin. Throws UsageError, ProjectError. */
export async function readSecretsFile(
  context: Reading,
  file: string,
  isHidden: (name: string, value: string) => boolean = () => true,
): Promise<Secrets> {
  const values = readEnvFile(await readText(context, file), file === '-' ? 'stdin' : file);
  const hidden = Object.entries(values).filter(([name, value]) => isHidden(name, value));
  context.secrets.add(hidden.map(([, value]) => value));
  return values;
}

/** The platform takes less. */
const maxSecretBytes = 2 ** 20;

async function readText(context: Reading, file: string): Promise<string> {
  const text = file === '-' ? await context.readStdin() : String(await readNamedFile(context, file, maxSecretBytes));
  // Editors and PowerShell on Windows write a byte-order mark, which no secret begins with.
  if (!text.includes('\uFFFD')) return text.replace(/^\ufeff/, '');
  throw new UsageError(`${file === '-' ? 'stdin' : file} is not UTF-8 text`, {
    fix: 'save it as UTF-8 (PowerShell: Out-File -Encoding utf8), or encode binary data with base64',
  });
}

/** An empty value is usually a variable that is not set, or an accidental Enter. */
function checkNotEmpty(name: string, value: string): string {
  if (value !== '') return value;
  throw new UsageError(`the value of ${name} is empty`, {
    fix: sentence`to set an empty value: echo ${name}= | ${gantryCommand`secrets set --from-env-file -`}`,
  });
}

/** Ignores inherited properties such as `__proto__`. */
function ownValue(env: Context['env'], name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/** Names the first word only: another may be its value. */
function throwNotInEnvironment(names: string[], name: string): never {
  const at = names.indexOf(name);
  throw new UsageError(`--from-env: ${at === 0 ? name : `argument ${at + 1}`} is not set in the environment`);
}

const isVariableName = (word: string) => /^[A-Za-z_]\w{0,252}$/.test(word);

/** Tokens of well-known services, and long words in which letters and digits are mixed, are no names. */
const looksLikeValue = (word: string) =>
  /^(sk|pk|rk|hf|gh[opsu]|glpat|xox[abp]|eyJ|AKIA|whsec|nvapi|r8)[-_A-Za-z0-9]{8,}/.test(word) ||
  (word.length >= 20 && /\d[a-zA-Z]+\d/.test(word) && /[a-z]/.test(word));

/**
 * The name is shown unless the argument may be a value with base64 padding, such as `c2VjcmV0==`. At a terminal the value is
 * asked for and hidden, which stdin would not do.
 */
function valueInArgumentsError({ isPossible }: Context['prompt'], word: string): UsageError {
  const [, name = 'NAME'] = /^([A-Za-z_][\w.-]*)=(?!=*$)/.exec(word) ?? [];
  return new UsageError('secret values cannot be passed as arguments', {
    why: 'arguments are visible in the shell history and to other processes: if it was a real value, change it',
    fix: isPossible ? gantryCommand`secrets set ${name}` : gantryCommand`secrets set ${name} --from-file -`,
  });
}
