import { posix } from 'node:path';
import { gantryCommand } from '../../kernel/command-line.ts';
import { UsageError } from '../../kernel/errors.ts';
import { positionals, takeFlag } from './words.ts';

/** A command line of the platform's official client, in gantry's words. */
export interface Translation {
  argv: string[];
  /** What the command reads in place of stdin: secrets that were arguments. */
  input?: string;
  /** Variables for this command only. */
  env?: Record<string, string>;
  /** Secrets that were arguments. */
  secrets: string[];
  warning?: string;
}

/** Commands that take their arguments in another form. */
export function rewriteOperands(line: Translation): void {
  const [first = -1, ...others] = positionals(line.argv);
  const rewrite = operandRewrites[line.argv[first] ?? ''];
  if (!rewrite) return;
  const isOther = (_: string, at: number) => at !== first && !others.includes(at);
  const flags = line.argv.filter(isOther);
  const words = rewrite(
    others.map((at) => line.argv[at] ?? ''),
    line,
    flags,
  );
  if (words) line.argv = [...words, ...flags];
}

export function takeToken(line: Translation): void {
  const token = takeFlag(line.argv, '--service-account-token');
  if (token === undefined) return;
  // Not GANTRY_TOKEN: the official client's addresses are for its own token.
  line.env = { GANTRY_TOKEN: '', CEREBRIUM_SERVICE_ACCOUNT_TOKEN: token };
  line.secrets.push(token);
  line.warning = exposed('the token', 'set GANTRY_TOKEN instead');
}

type OperandRewrite = (given: string[], line: Translation, flags: string[]) => string[] | undefined;

const operandRewrites: Record<string, OperandRewrite> = {
  // Without a local path the official client creates what is copied in the current folder, under its own name.
  download: ([remote, local]) =>
    remote ? ['cp', onVolume(remote), local ?? (posix.basename(remote) || '.')] : undefined,
  upload: ([local, remote = '/']) => (local ? ['cp', local, onVolume(remote)] : undefined),
  init: ([name], _, flags) => {
    const folder = takeFlag(flags, '--dir');
    return folder && name ? ['init', posix.join(folder, name)] : undefined;
  },
  secrets: ([verb, ...pairs], line) => (verb === 'add' && pairs.length > 0 ? importSecrets(pairs, line) : undefined),
  version: (_, __, flags) => {
    const check = flags.indexOf('--check');
    if (check < 0) return ['--version'];
    flags.splice(check, 1);
    return ['doctor'];
  },
  'save-auth-config': ([token, refreshToken, project], line, flags) =>
    token
      ? importTokens({ token, refreshToken, project: takeFlag(flags, '--project-id') ?? project }, line)
      : undefined,
};

function onVolume(path: string): string {
  return path.includes(':') ? path : `:${posix.join('/', path)}`;
}

/** The values were exposed by being arguments; from here on they travel as text on stdin. */
function importSecrets(pairs: string[], line: Translation): string[] | undefined {
  const entries = pairs.map((pair): [string, string] => [
    pair.split('=', 1)[0] ?? '',
    pair.slice(pair.indexOf('=') + 1),
  ]);
  if (pairs.some((pair) => pair.indexOf('=') < 1)) {
    throw new UsageError('secrets are added as NAME=value', {
      why: 'or without a value on the command line, which is visible to other processes',
      fix: gantryCommand`secrets set ${entries[0]?.[0] ?? 'NAME'}`,
    });
  }
  line.input = JSON.stringify(Object.fromEntries(entries));
  for (const [, value] of entries) line.secrets.push(value);
  line.warning = exposed('the value', `use gantry secrets set ${entries[0]?.[0]}, which asks for it`);
  return ['secrets', 'set', '--from-env-file', '-'];
}

interface Tokens {
  token: string;
  refreshToken: string | undefined;
  project: string | undefined;
}

/** Written as the official client stores them, which `login --import` reads. */
function importTokens({ token, refreshToken, project }: Tokens, line: Translation): string[] {
  const key = refreshToken ? 'accesstoken' : 'serviceaccounttoken';
  line.input = JSON.stringify({ [key]: token, refreshtoken: refreshToken, project });
  line.secrets.push(token);
  if (refreshToken) line.secrets.push(refreshToken);
  line.warning = exposed('the token', 'set GANTRY_TOKEN, or use gantry login --token < FILE');
  return ['login', '--import', '-'];
}

function exposed(what: string, instead: string): string {
  return `${what} on the command line is visible in the shell history and to other processes: ${instead}`;
}
