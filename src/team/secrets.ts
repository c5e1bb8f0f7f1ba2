import { isSecretName, readEnvFile, secretNameFormat } from '../app/env-file.ts';
import { allApps, clockErrorMs, readHistory, recordEvent } from '../deploys/history/index.ts';
import { closestName } from '../kernel/closest-name.ts';
import { gantryCommand, sentence } from '../kernel/command-line.ts';
import { readNamedFile } from '../kernel/disk/index.ts';
import { ConflictError, FailedError, NotFoundError, UsageError } from '../kernel/errors.ts';
import { groupsOf } from '../kernel/groups.ts';
import type { Context } from '../platform/context.ts';
import {
  getAppSecrets,
  getProjectSecrets,
  type Secrets,
  type StoredSecrets,
  setAppSecrets,
  setProjectSecrets,
} from '../platform/contract/secrets.ts';
import { waitForChange } from '../platform/waiting/index.ts';
import { findStale, lastChange, type SecretScope } from './stale-replicas.ts';

/** Source of the values. Without one, the values are prompted for. */
interface SecretValueSource {
  /** A file with one value; `-` is stdin. */
  fromFile?: string | undefined;
  /** Read environment variables of the same names. */
  fromEnv?: boolean | undefined;
  /** Keep the newline at the end of the file. */
  keepNewline?: boolean | undefined;
}

type Asking = Pick<Context, 'prompt' | 'isForModel'>;
type SecretsReading = Pick<Context, 'prompt' | 'isForModel' | 'readStdin' | 'cwd' | 'env' | 'secrets' | 'signal'>;

/** Throws UsageError for invalid names, without repeating them: they may be values typed by mistake. */
export function checkSecretNames(context: Asking, names: string[], scope: SecretScope): void {
  for (const [index, name] of names.entries()) {
    if (isSecretName(name)) continue;
    if (name.includes('=')) throw valueInArgumentsError(context, name, scope);
    throw new UsageError(`argument ${index + 1} is not a valid secret name`, { why: secretNameFormat });
  }
}

/**
 * Throws UsageError for names that a new secret cannot have on the command line, without repeating them: `set NAME VALUE`,
 * as other programs have it, must not make a name of a value. A second word is a name only if it is one of the environment.
 */
export function checkNewSecretNames(
  context: Asking,
  [name = '', ...others]: string[],
  { fromEnv = false, ...scope }: SecretScope & Pick<SecretValueSource, 'fromEnv'>,
): void {
  if (name.includes('=')) throw valueInArgumentsError(context, name, scope);
  if (!isVariableName(name) || looksLikeValue(name)) {
    throw new UsageError('argument 1 is not a secret name', {
      why: 'the name of a new secret is that of an environment variable: letters, digits and underscores',
      fix: sentence`${gantryCommand`secrets set --from-env-file FILE`} takes other names, in lines of NAME=value`,
    });
  }
  const assignment = others.find((word) => /^[A-Za-z_][\w.-]*=/.test(word));
  if (assignment !== undefined) throw valueInArgumentsError(context, assignment, scope);
  if (!fromEnv && others.length > 0) throw valueInArgumentsError(context, `${name}=x`, scope);
}

/** Reads one value per name. Throws UsageError if one is missing or empty. */
export async function readSecretValues(context: SecretsReading, names: string[], source: SecretValueSource) {
  const { fromFile, fromEnv, keepNewline } = source;
  const [first = ''] = names;
  if (fromFile !== undefined) {
    const text = await readText(context, fromFile);
    return { [first]: checkNotEmpty(first, keepNewline ? text : text.replace(/\r?\n$/, '')) };
  }
  const values: [name: string, value: string][] = [];
  for (const name of new Set(names)) {
    const value = fromEnv
      ? (ownValue(context.env, name) ?? throwNotInEnvironment(context, names, name))
      : await context.prompt.secret(`Value of ${name}`, {
          flag: `${context.isForModel ? '' : '--from-file - to read it from stdin, '}--from-file FILE or --from-env`,
          ...(!context.isForModel && { retryWith: Object.entries(unaskedSource(context)).flat() }),
        });
    values.push([name, checkNotEmpty(name, value)]);
  }
  return Object.fromEntries(values);
}

/** Reads secrets from a file with `NAME=value` lines or a JSON object; `-` is stdin. Throws UsageError, ProjectError. */
export async function readSecretsFile(
  context: SecretsReading,
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

async function readText(context: SecretsReading, file: string): Promise<string> {
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
const ownValue = (env: Context['env'], name: string) => (Object.hasOwn(env, name) ? env[name] : undefined);

/** Tool calls have no stdin, and set no environment. */
const unaskedSource = ({ isForModel }: Asking) => ({ '--from-file': isForModel ? 'FILE' : '-' });

/** Names the first word only: another may be its value. */
function throwNotInEnvironment({ isForModel }: Asking, names: string[], name: string): never {
  const at = names.indexOf(name);
  throw new UsageError(`--from-env: ${at === 0 ? name : `argument ${at + 1}`} is not set in the environment`, {
    ...(isForModel && { why: 'a tool call has the environment in which the server was started' }),
    fix: 'write the value to a file, and name the file: --from-file FILE',
  });
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
function valueInArgumentsError(context: Asking, word: string, { app }: SecretScope): UsageError {
  const source = context.prompt.isPossible ? {} : unaskedSource(context);
  const [, name = 'NAME'] = groupsOf(/^([A-Za-z_][\w.-]*)=(?!=*$)/, word);
  return new UsageError('secret values cannot be passed as arguments', {
    why: 'arguments are visible in the shell history and to other processes: if it was a real value, change it',
    fix: gantryCommand`secrets set ${name} ${{ '--app': app, ...source }}`,
  });
}

/** The names of the secrets by what happened to them, without values. */
export type SecretChange = Awaited<ReturnType<typeof changeSecrets>>;

/** Reads all secrets with their values. */
export function readSecrets({ api, project }: Context, { app }: SecretScope): Promise<StoredSecrets> {
  return app ? api(getAppSecrets, { project, app }) : api(getProjectSecrets, { project });
}

/**
 * Adds and replaces secrets. Calls `values` after the current secrets were read, and asks before it replaces a value.
 * Throws ConflictError if a secret was changed meanwhile, FailedError if a stored secret is not text.
 */
export async function setSecrets(context: Context, scope: SecretScope, values: () => Promise<Secrets> | Secrets) {
  const before = await readForChange(context, scope);
  const newValues = await values();
  context.secrets.add(Object.values(newValues));
  return changeSecrets(context, scope, Object.keys(newValues), before, { ...before, ...newValues });
}

/**
 * Removes secrets, after a confirmation. Missing ones are reported as unchanged, but NotFoundError is thrown for one that is
 * misspelled. Throws like {@link setSecrets}.
 */
export async function unsetSecrets(context: Context, scope: SecretScope, names: string[]) {
  const before = await readForChange(context, scope);
  for (const name of names) if (!Object.hasOwn(before, name)) refuseMisspelled(name, Object.keys(before), scope);
  const kept = Object.entries(before).filter(([name]) => !names.includes(name));
  return changeSecrets(context, scope, names, before, Object.fromEntries(kept));
}

/** A name with another number is another secret: the one that was typed may have been removed before. */
function refuseMisspelled(name: string, stored: readonly string[], { app }: SecretScope): void {
  const letters = (text: string) => text.replace(/\d+/g, '');
  const others = stored.filter((each) => letters(each) !== letters(name));
  const meant = name.length > 3 ? closestName(name, others) : undefined;
  if (meant === undefined) return;
  throw new NotFoundError(`secret ${name} not found: did you mean ${meant}?`, {
    why: 'nothing was changed',
    fix: gantryCommand`secrets list ${{ '--app': app }}`,
    details: { app, secret: name },
  });
}

async function changeSecrets(context: Context, { app }: SecretScope, named: string[], before: Secrets, after: Secrets) {
  context.secrets.add(Object.values(before));
  const place = app ? `app ${app}` : `project ${context.project}`;
  const kindOf = (name: string) => {
    const [had, has] = [before, after].map((secrets) => Object.hasOwn(secrets, name));
    if (had !== has) return has ? 'added' : 'removed';
    return had && before[name] !== after[name] ? 'replaced' : 'unchanged';
  };
  const names = [...new Set(named)].sort();
  const of = (kind: ReturnType<typeof kindOf>) => names.filter((name) => kindOf(name) === kind);
  const added = of('added');
  const replaced = of('replaced');
  const removed = of('removed');
  if (replaced.length > 0) await context.prompt.confirm(`Replace ${replaced.join(', ')} in ${place}?`);
  if (removed.length > 0) await context.prompt.confirm(`Remove ${removed.join(', ')} from ${place}?`);
  const done = [...added, ...replaced, ...removed];
  const changed = done.length > 0;
  const unchanged = of('unchanged');
  const change = { app: app ?? null, changed, added, replaced, removed, unchanged, stale: [], restartable: [] };
  if (!changed)
    return { ...change, ...(await findStale(context, { app }, await lastChange(context, { app }, names), names)) };
  const told = (verb: string, which: string[], at: string) => which.map((name) => `${verb} ${name} ${at} ${place}`);
  const more = [...told('replace', replaced, 'in'), ...told('remove', removed, 'from')];
  context.willChange([...told('add', added, 'in'), ...more], change);
  const began = context.platformNow();
  await replaceSecrets(context, { app }, before, after);
  // At once: a replica that starts later has the new secrets.
  const finding = findStale(context, { app }, Number.POSITIVE_INFINITY, done);
  await recordEvent(context, app ?? allApps, 'secrets', { names: done, isSet: removed.length === 0 });
  const compare = async () => {
    const now = await readSecrets(context, { app });
    const compared = differences(now, before, after, new Set());
    return compared.lost.length === 0
      ? compared
      : differences(now, before, after, await removedSince(context, { app }, began));
  };
  await confirmStored(context, compare);
  return { ...change, ...(await finding) };
}

/** Secrets that commands on record have removed since, this one as well: what is on record is written in whole seconds. */
async function removedSince(context: Context, { app }: SecretScope, began: number): Promise<ReadonlySet<string>> {
  const { events } = await readHistory(context, app ?? allApps);
  const recent = events.filter(({ at }) => Date.parse(at) >= began - clockErrorMs);
  return new Set(recent.flatMap((event) => (event.event === 'secrets' && !event.isSet ? event.names : [])));
}

/** Reads the secrets for a change. All of them are sent back, so values that are not text would be lost. */
async function readForChange(context: Context, scope: SecretScope): Promise<Secrets> {
  const stored = await readSecrets(context, scope);
  const unreadable = Object.keys(stored).filter((name) => typeof stored[name] !== 'string');
  if (unreadable.length === 0) return stored as Secrets;
  throw new FailedError(`the value of ${unreadable.sort().join(', ')} is not text`, {
    why: 'the platform replaces all secrets at once, so these values would be lost; nothing was changed',
    fix: 'change the secrets in the dashboard',
    details: { unclear: unreadable },
  });
}

/**
 * Replaces all secrets, as the platform has no other way to change one. Reads them again first, so that a change made by
 * someone else in the meantime is not undone.
 */
async function replaceSecrets(context: Context, scope: SecretScope, before: Secrets, after: Secrets): Promise<void> {
  const { api, project } = context;
  const changed = changedNames(before, await readSecrets(context, scope));
  if (changed.length > 0) throw overtaken('in the meantime', changed, 'this change would undo the other one');
  if (scope.app) await api(setAppSecrets, { project, app: scope.app, body: after });
  else await api(setProjectSecrets, { project, body: after });
}

function overtaken(when: string, names: string[], outcome: string): ConflictError {
  return new ConflictError(`secrets were changed by someone else ${when}: ${names.join(', ')}`, {
    why: `the platform replaces all secrets at once, so ${outcome}`,
    fix: sentence`check ${gantryCommand`secrets list`}, then run the same command again`,
    details: { changed: names },
    retryable: true,
  });
}

function changedNames(before: StoredSecrets, after: StoredSecrets): string[] {
  const names = Object.keys({ ...before, ...after }).sort();
  return names.filter((name) => before[name] !== after[name] && !isMasked(after[name]));
}

/** When another command that changes secrets at the same time has sent its list, too. In ms. */
const secondLookMs = 1_000;

/**
 * Reads the secrets until they are what was sent, and once more a second later: a command that had read them before this
 * change replaces them all. The platform's documents do not say that omitting a secret removes it, so removed ones are
 * checked as well.
 */
async function confirmStored(
  { delay, progress }: Pick<Context, 'delay' | 'progress'>,
  compare: () => Promise<ReturnType<typeof differences>>,
): Promise<void> {
  const look = () => waitForChange(compare, ({ lost, kept }) => lost.length + kept.length === 0, delay);
  throwUnlessStored(await look());
  await delay(secondLookMs);
  const { altered, lost, other, kept } = await look();
  const names = [...lost, ...other, ...kept].sort();
  if (names.length > 0) throw overtaken('right after', names, undone);
  if (altered.length === 0) return;
  progress.warn({
    severity: 'warning',
    message: `other values than before: ${altered.join(', ')}`,
    why: 'someone else changed them in the meantime, or the platform did; this command sent them as they were',
  });
}

const undone = 'the other change undid this one';

/** `removed`: by commands on record. A secret that none of them removed is lost by the platform, for all that is known. */
function differences(now: StoredSecrets, before: Secrets, after: Secrets, removed: ReadonlySet<string>) {
  const changed = changedNames(before, after);
  const isAlike = (name: string) => changed.some((each) => each.toLowerCase() === name.trim().toLowerCase());
  const isChange = (name: string) => changed.includes(name);
  const hasOldValue = (name: string) => isChange(name) && now[name] === before[name];
  const isGone = (name: string) => !Object.hasOwn(now, name) && (isChange(name) || !removed.has(name));
  const isLost = (name: string) => isGone(name) || hasOldValue(name);
  const lost = Object.keys(after).filter(isLost).sort();
  const differing = changedNames(after, now).filter(
    (name) => [after, now].every((all) => Object.hasOwn(all, name)) && !isLost(name),
  );
  const unset = changed.filter((name) => !Object.hasOwn(after, name));
  const isKept = (name: string) =>
    !Object.hasOwn(after, name) && unset.some((each) => each.toLowerCase() === name.trim().toLowerCase());
  const kept = Object.keys(now).filter(isKept).sort();
  return {
    lost,
    other: differing.filter(isChange),
    kept,
    altered: differing.filter((name) => !isChange(name)),
    /** This change is not stored, and another one is: the other command had read the secrets before. */
    undone: changedNames(before, now).some((name) => !isAlike(name)) ? [...lost.filter(isChange), ...kept] : [],
  };
}

/** The platform may hide values. */
function isMasked(value: unknown): boolean {
  return typeof value === 'string' && /^[*•]+$/.test(value);
}

function throwUnlessStored({ lost, other, kept, undone: names }: ReturnType<typeof differences>): void {
  if (names.length > 0) throw overtaken('at the same time', names, undone);
  if (lost.length > 0) {
    throw new FailedError(`the platform did not store ${lost.join(', ')}`, {
      why: 'it accepted the new secrets, but does not list them',
      fix: gantryCommand`secrets list`,
      details: { lost },
    });
  }
  if (other.length > 0) {
    throw new ConflictError(`another value than was sent is stored for ${other.join(', ')}`, {
      why: 'someone else set it at the same time, or the platform changed it',
      fix: sentence`check ${gantryCommand`secrets list`}, then run the same command again`,
      details: { changed: other },
    });
  }
  if (kept.length > 0) {
    throw new FailedError(`the platform did not remove ${kept.join(', ')}`, {
      why: 'it accepted the new list of secrets, but kept those that are not in it',
      fix: 'remove them in the dashboard',
    });
  }
}
