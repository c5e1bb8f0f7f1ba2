import type { TomlTable, TomlValue } from 'smol-toml';
import { parseArgsStringToArgv } from 'string-argv';
import { closestName } from '../../kernel/closest-name.ts';
import { groupsOf } from '../../kernel/groups.ts';
import { accelerators } from '../hardware.ts';
import { type SectionName, sectionNamed, sectionNames, sections } from '../schema.ts';
import { fieldOf, type Key, type SettingKind, type SettingKinds } from '../schema-keys.ts';
import { environmentIssue } from './environment-section.ts';
import { isSafe, isTable, quoteAsWritten, tomlAssignment, tomlKey, toToml } from './format.ts';
import { type ConfigIssue, type Issues, warningAt } from './issue.ts';
import { documentedValues } from './suggestions.ts';

interface FormerName {
  why: string;
  sets?: string;
  fix?(written: string): string | undefined;
}

const oppositeOfDisableAuth: FormerName = {
  why: 'disable_auth is its opposite',
  sets: 'disable_auth',
  fix: (written) => (/^(?:true|false)$/.test(written) ? `disable_auth = ${written === 'false'}` : undefined),
};

/** Names that were valid once, or look valid. */
const formerNames = new Map<string, FormerName>(
  Object.entries({
    'hardware.gpu': {
      why: 'gpu is no longer supported: without compute the app runs on CPU',
      fix: documentedCompute,
      sets: 'compute',
    },
    'deployment.enable_auth': oppositeOfDisableAuth,
    'deployment.require_auth': oppositeOfDisableAuth,
    'runtime.cortex': { why: 'cortex is the default without a runtime section' },
    project: { why: 'apps are deployed to the project of --project, GANTRY_PROJECT or the profile' },
  }),
);

function documentedCompute(written: string): string | undefined {
  const documented = documentedValues('compute', written.replace(/^["']|["']$/g, ''), Object.keys(accelerators));
  return documented.map((name) => `compute = ${toToml(name)}`).join(' or ') || undefined;
}

const nicknames: Record<string, Record<string, string>> = {
  deployment: { python: 'python_version' },
  'runtime.custom': {
    dockerfile: 'dockerfile_path',
    healthcheck: 'healthcheck_endpoint',
    readycheck: 'readycheck_endpoint',
    command: 'entrypoint',
    cmd: 'entrypoint',
  },
};

/** An unknown key: misspelled, in the wrong section, or outdated. `root` is the table `cerebrium`. */
export function unknownKey(path: readonly string[], key: string, value: TomlValue, root: TomlTable): ConfigIssue {
  const at = ['cerebrium', ...path, key];
  const here = path.join('.');
  const name = tomlKey(key);
  const old = formerNames.get(here === '' ? key : `${here}.${key}`);
  if (old) {
    const { why, sets = '' } = old;
    const fix = isTaken(root, here, sets) ? `remove it: ${sets} is set, too` : old.fix;
    return warningAt(at, `${name} is ignored`, { part: 'key', why, fix, supplies: [`${here}.${sets}`] });
  }

  const meant = meantKey(here, key);
  if (meant) {
    const fix = isTaken(root, here, meant) ? `remove it: ${meant} is set, too` : assignment(here, meant, value);
    const message = `unknown key ${name} is ignored: did you mean ${meant}?`;
    return warningAt(at, message, { part: 'key', fix, supplies: [`${here}.${meant}`] });
  }
  const knownKey = sectionOf(key) ? key.toLowerCase() : closestName(key, allKeys);
  const section = sectionOf(knownKey ?? '');
  if (knownKey && section) return misplacedKey(at, [section, knownKey], value, root);
  return environmentIssue(at, value) ?? warningAt(at, `unknown key ${name} is ignored`, { part: 'key' });
}

function misplacedKey(
  at: readonly string[],
  [section, key]: readonly [SectionName, string],
  value: TomlValue,
  root: TomlTable,
): ConfigIssue {
  const name = at.at(-1) ?? '';
  const write = assignment(section, key, value);
  const header = `[cerebrium.${section}]`;
  const isNear = key !== name.toLowerCase();
  const meant = isNear ? `did you mean ${key} of ${header}?` : `it belongs in ${header}`;
  return warningAt(at, `${tomlKey(name)} is ignored here: ${meant}`, {
    part: 'key',
    fix: isTaken(root, section, key)
      ? `remove it: ${header} sets ${key}, too`
      : (written) => write(written) && `${header}\n${write(written)}`,
    supplies: [`${section}.${key}`],
  });
}

/** Unknown tables; of nested tables, the innermost, whose header is in the file. */
export function* unknownTable(path: readonly string[], table: TomlTable, root: TomlTable): Issues {
  const environment = environmentIssue(['cerebrium', ...path], table);
  if (environment) return yield environment;
  const inner = path.length < 6 ? Object.entries(table) : [];
  for (const [key, value] of inner) if (isTable(value)) yield* unknownTable([...path, key], value, root);
  if (inner.length === 0 || inner.some(([, value]) => !isTable(value))) yield unknownSection(path, table, root);
}

/** `[cerebrium.x]` as the header to write instead; prose if the file has that section already. */
export function headerFix(section: string, root: TomlTable | undefined): string {
  const header = `[cerebrium.${section}]`;
  return root && tableAt(root, section.split('.')) ? `move its keys to ${header}` : header;
}

function unknownSection(path: readonly string[], table: TomlTable, root: TomlTable): ConfigIssue {
  const at = ['cerebrium', ...path];
  const header = `[${at.map(tomlKey).join('.')}]`;
  const old = formerNames.get(path.join('.'));
  if (old) return warningAt(at, `${header} is ignored`, { why: old.why });

  const meant = closestSection(path);
  if (meant) {
    const message = `unknown section ${header} is ignored: did you mean [cerebrium.${meant}]?`;
    return warningAt(at, message, { fix: headerFix(meant, root) });
  }
  const [name = '', ...deeper] = path;
  const section = deeper.length === 0 ? sectionOf(name) : undefined;
  const [stray] = Object.keys(table).flatMap((key) => sectionOf(key) ?? []);
  const whatIsKnown = stray ? `its keys belong in [cerebrium.${stray}]` : knownSections(path);
  const why = section ? `${name} is a key of [cerebrium.${section}], not a section` : whatIsKnown;
  const supplies = Object.keys(table).map((key) => `${sectionOf(key)}.${key.toLowerCase()}`);
  if (stray === 'runtime.custom' && /^[^\s]+\.py$/.test(String(table.entrypoint ?? '')))
    return warningAt(at, `unknown section ${header} is ignored`, {
      why: 'without a runtime section, the default runtime serves main.py',
      fix: 'remove it',
    });
  return warningAt(at, `unknown section ${header} is ignored`, { why, fix: stray && headerFix(stray, root), supplies });
}

function meantKey(section: string, written: string): string | undefined {
  const keys: [string, Key][] = Object.entries(sectionNamed(section)?.keys ?? {});
  const names = keys.map(([name]) => name);
  const spellings = new Map([
    ...keys.map(([name, key]) => [fieldOf(name, key) ?? name, name] as const),
    ...Object.entries(nicknames[section] ?? {}),
    ...names.map((name) => [name, name] as const),
  ]);
  return (
    spellings.get(closestName(written, spellings.keys()) ?? '') ??
    names.find((name) => name.startsWith(`${written}_`) || written.startsWith(`${name}_`))
  );
}

function assignment(section: string, key: string, value: TomlValue): (written: string) => string | undefined {
  const { kind = 'string', unit } = sectionNamed(section)?.keys[key] ?? {};
  const { parse, suggest } = valueKinds[kind];
  return (written) => tomlAssignment(key, parse(value) === undefined ? suggest(value, written, unit) : written);
}

function isTaken(root: TomlTable, section: string, key: string): boolean {
  const table = tableAt(root, section.split('.'));
  return table !== undefined && Object.hasOwn(table, key);
}

export function tableAt(root: TomlValue | undefined, path: readonly string[]): TomlTable | undefined {
  const value = path.reduce<TomlValue | undefined>(
    (outer, name) => (isTable(outer) && Object.hasOwn(outer, name) ? outer[name] : undefined),
    root,
  );
  return isTable(value) ? value : undefined;
}

function sectionOf(key: string): SectionName | undefined {
  return sectionNames.find((name) => Object.hasOwn(sections[name].keys, key.toLowerCase()));
}

const allKeys = sectionNames.flatMap((name) => Object.keys(sections[name].keys));

/** A key by its name alone. */
export const keyNamed = (key: string): Key | undefined => sectionNamed(sectionOf(key) ?? '')?.keys[key];

/** Ignores the order of names and a missing first one: users write `[cerebrium.pip.dependancies]`. */
function closestSection(path: readonly string[]): string | undefined {
  const sorted = new Map(sectionNames.map((name) => [name.split('.').sort().join('.'), name]));
  const inOrder = closestName([...path].sort().join('.'), sorted.keys());
  const last = sectionNames.find((name) => path.length === 1 && name.endsWith(`.${path[0]?.toLowerCase()}`));
  return (inOrder && sorted.get(inOrder)) ?? last;
}

function knownSections(path: readonly string[]): string {
  const siblings = sectionNames.filter((name) => path.length > 1 && name.startsWith(`${path[0]}.`));
  return `known: ${(siblings.length > 0 ? siblings : sectionNames).join(', ')}`;
}

interface KindRules<T> {
  /** For messages: "must be …". */
  label: string;
  /** The parsed value; undefined if it is of another kind. Never coerces. */
  parse(value: TomlValue): T | undefined;
  suggest(value: TomlValue, written: string, unit?: string): string | undefined;
  isEmpty?(value: T): boolean;
}

export const valueKinds: { [K in SettingKind]: KindRules<SettingKinds[K]> } = {
  string: {
    label: 'a string',
    parse: (value) => (typeof value === 'string' ? value : undefined),
    suggest: (value, written) =>
      isStrings(value) && value.length === 1 ? toToml(value[0] ?? '') : quoteAsWritten(value, written),
  },
  boolean: {
    label: 'true or false',
    parse: (value) => (typeof value === 'boolean' ? value : undefined),
    suggest: (value) => (typeof value === 'object' ? undefined : booleans.get(String(value).toLowerCase())),
  },
  integer: {
    label: 'a whole number',
    parse: (value) => (typeof value === 'bigint' && isSafe(value) ? Number(value) : undefined),
    suggest: (value, _, unit) => {
      const number = inUnit(scalar(value), unit);
      return Number.isInteger(number) ? String(number) : undefined;
    },
  },
  number: {
    label: 'a number',
    parse: (value) => {
      const isExact = typeof value === 'bigint' ? isSafe(value) : Number.isFinite(value);
      return isExact ? Number(value) : undefined;
    },
    suggest: (value, _, unit) => inUnit(scalar(value), unit)?.toString(),
  },
  strings: {
    label: 'a list of strings',
    // Ignores blank entries, which are common: `shell_commands = [""]`.
    parse: (value) => (isStrings(value) ? value.filter((text) => text.trim() !== '') : undefined),
    suggest: (value) => (typeof value === 'string' ? toToml(parseListText(value)) : undefined),
  },
  compute: {
    label: 'a string or a list of strings',
    parse: (value) => (typeof value === 'string' ? [value] : isStrings(value) ? value : undefined),
    suggest: quoteAsWritten,
    isEmpty: (names) => names.length === 0 || names.some((name) => name.trim() === ''),
  },
  command: {
    label: 'a list of strings, or one string',
    parse: (value) => (typeof value === 'string' ? parseArgsStringToArgv(value) : isStrings(value) ? value : undefined),
    suggest: quoteAsWritten,
    isEmpty: (parts) => parts.every((part) => part.trim() === ''),
  },
};

/** How units are written, and what they are in that of the key. */
const writtenUnits: readonly (readonly [written: RegExp, unit: string | undefined, size: number])[] = [
  [/^$/, undefined, 1],
  [/^s(?:ec(?:ond)?s?)?$/i, 'seconds', 1],
  [/^m(?:in(?:ute)?s?)?$/i, 'seconds', 60],
  [/^h(?:r|our)?s?$/i, 'seconds', 3600],
  [/^gi?b?$/i, 'GB', 1],
  [/^(?:mi?b|mi)$/i, 'GB', 1 / 1024],
  [/^(?:v?cpu|core)s?$/i, 'cores', 1],
];

const digits = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** The number that `4`, `"4GB"`, `"5 min"` or `two` stands for in a unit. */
function inUnit(text: string, unit: string | undefined): number | undefined {
  const [, number = '', written = ''] = groupsOf(/^([+-]?\d{1,15}(?:\.\d*)?|[a-z]+)\s*([a-z]*)$/i, text);
  const value = digits.includes(number.toLowerCase()) ? digits.indexOf(number.toLowerCase()) : Number(number);
  const [, , size = Number.NaN] =
    writtenUnits.find(([form, of]) => form.test(written) && (of === undefined || of === unit)) ?? [];
  return number !== '' && Number.isFinite(value * size) ? value * size : undefined;
}

/** What a key takes, where nothing tells which value is meant. */
export const exampleOf = ({ kind, unit, default: usual }: Key): string | undefined =>
  kind === 'integer' || kind === 'number'
    ? `${valueKinds[kind].label}${unit ? ` of ${unit}` : ''}, such as ${typeof usual === 'number' ? usual : 1}`
    : undefined;

const booleans = new Map([
  ...['true', 'yes', 'on', '1'].map((word) => [word, 'true'] as const),
  ...['false', 'no', 'off', '0'].map((word) => [word, 'false'] as const),
]);

/** Parses `"[./*, main.py]"`, an outdated way to write a list; a single entry becomes a list of one. */
function parseListText(text: string): string[] {
  const inner = /^\s*\[(.*)\]\s*$/s.exec(text)?.[1];
  if (inner === undefined) return [text];
  const entries = inner.split(',').map((entry) => entry.trim().replace(/^(["'])(.*)\1$/, '$2'));
  return entries.filter((entry) => entry !== '');
}

function isStrings(value: TomlValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((element) => typeof element === 'string');
}

function scalar(value: TomlValue): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
