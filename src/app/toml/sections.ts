import type { TomlTable, TomlValue } from 'smol-toml';
import { type SectionName, sectionNamed, sectionNames, type Values } from '../schema.ts';
import type { Key } from '../schema-keys.ts';
import { describeType, isTable, quoteAsWritten, tomlAssignment, toToml } from './format.ts';
import { type ConfigIssue, errorAt, warningAt } from './issue.ts';
import { isStrings, unknownKey, unknownTable, valueKinds } from './unknown.ts';

export interface Draft {
  sections: { [S in SectionName]?: Values<S> };
  /** Dotted names of keys and sections that are present but unreadable. */
  unreadable: Set<string>;
}

/** Reads the table `cerebrium`. Known keys of the right type become the draft, everything else issues. */
export function readSections(root: TomlTable): { draft: Draft; issues: ConfigIssue[] } {
  const draft: UntypedDraft = { sections: {}, unreadable: new Set() };
  const issues = [...readTable(root, [], draft, root)];
  // Values have the types of the schema, which the compiler cannot see.
  return { draft: draft as Draft, issues };
}

interface UntypedDraft {
  sections: Record<string, Record<string, unknown>>;
  unreadable: Set<string>;
}

function* readTable(
  table: TomlTable,
  path: readonly string[],
  draft: UntypedDraft,
  root: TomlTable,
): Generator<ConfigIssue> {
  const name = path.join('.');
  const section = sectionNamed(name);
  const values = section ? sectionValues(draft, name) : {};
  const settings = new Map(Object.entries(section?.keys ?? {}));
  const isOfPackages = section?.entries;
  for (const [key, value] of Object.entries(table)) {
    const inner = [...path, key];
    const setting = settings.get(key);
    if (isSectionPath(inner)) yield* readSection(value, inner, draft, root);
    else if (setting) yield* readKey(setting, value, inner, values, draft);
    else if (isOfPackages) yield* readPackage(value, inner, values);
    else if (isTable(value)) yield* unknownTable(inner, value, root);
    else yield unknownKey(path, key, value, root);
  }
}

function isSectionPath(path: readonly string[]): boolean {
  const name = path.join('.');
  return sectionNames.some((section) => section === name || section.startsWith(`${name}.`));
}

function* readSection(
  value: TomlValue,
  path: readonly string[],
  draft: UntypedDraft,
  root: TomlTable,
): Generator<ConfigIssue> {
  if (isTable(value)) return yield* readTable(value, path, draft, root);
  const header = `[cerebrium.${path.join('.')}]`;
  draft.unreadable.add(path.join('.'));
  yield errorAt(['cerebrium', ...path], `${path.join('.')} must be a section, got ${describeType(value)}`, {
    fix: header,
  });
}

function* readKey(
  key: Key,
  value: TomlValue,
  path: readonly string[],
  into: Record<string, unknown>,
  draft: UntypedDraft,
) {
  const name = path.at(-1) ?? '';
  // `kinds[key.kind]` gives the rules of one kind; the compiler sees those of all kinds at once.
  const rules = valueKinds[key.kind] as (typeof valueKinds)[typeof key.kind] & { isEmpty?(parsed: unknown): boolean };
  const parsed = rules.parse(value);
  if (parsed === undefined || rules.isEmpty?.(parsed)) {
    draft.unreadable.add(path.join('.'));
    yield* parsed === undefined ? wrongType(key, value, path) : [errorAt(['cerebrium', ...path], `${name} is empty`)];
  } else if (parsed !== '' || key.required) into[name] = parsed;
}

function* wrongType({ kind }: Key, value: TomlValue, path: readonly string[]): Generator<ConfigIssue> {
  const { label, suggest } = valueKinds[kind];
  const name = path.at(-1) ?? '';
  const at = ['cerebrium', ...path];
  if (Array.isArray(value) && label.includes('list')) return yield* wrongElements(value, at);
  yield errorAt(at, `${name} must be ${label}, got ${describeType(value)}`, {
    why: (written) => (suggest(value, written)?.startsWith('"') ? quoteIt(value, written) : undefined),
    fix: (written) => tomlAssignment(name, suggest(value, written)),
  });
}

function* wrongElements(list: readonly TomlValue[], at: readonly string[]): Generator<ConfigIssue> {
  for (const [index, element] of list.entries()) {
    if (typeof element === 'string') continue;
    const message = `${at.at(-1)} must contain only strings, got ${describeType(element)}`;
    yield errorAt([...at, index], message, { fix: (written) => quoteAsWritten(element, written) });
  }
}

/** A package may be called like an inherited property, such as `__proto__`. */
function sectionValues({ sections }: UntypedDraft, name: string): Record<string, unknown> {
  sections[name] ??= Object.create(null) as Record<string, unknown>;
  return sections[name];
}

function* readPackage(
  value: TomlValue,
  path: readonly string[],
  into: Record<string, unknown>,
): Generator<ConfigIssue> {
  const name = path.at(-1) ?? '';
  const at = ['cerebrium', ...path];
  const meant = typeof value === 'string' ? { name, version: value } : packageMeant(name, value);
  if (meant && localPath.test(meant.version) && path[1] !== 'apt') {
    yield errorAt(at, `the version of ${name} is a path: ${meant.version}`, {
      why: 'a version is a number, a range, a URL or "latest"',
      fix: `[cerebrium.deployment]\nshell_commands = ${toToml([`pip install ${meant.version}`])}`,
    });
  } else if (typeof value === 'string') into[name] = value;
  else if (!meant && isTable(value)) yield* dottedNames(value, at, [name], into);
  else yield noVersion(name, value, at, meant);
}

const localPath = /^(\.{1,2}|~)?[\\/]|^[a-z]:\\/i;

function noVersion(name: string, value: TomlValue, at: string[], meant: PackageVersion | undefined): ConfigIssue {
  return errorAt(at, `the version of ${name} must be a string, got ${describeType(value)}`, {
    why: (written) => (/^(object|boolean)$/.test(typeof value) ? undefined : quoteIt(value, written)),
    fix: (written) => {
      if (value === false) return `remove ${name}`;
      return meant
        ? tomlAssignment(meant.name, toToml(meant.version))
        : tomlAssignment(name, quoteAsWritten(value, written));
    },
  });
}

interface PackageVersion {
  name: string;
  version: string;
}

/** The name and version of a package in the form of another tool, such as poetry; undefined if that is not certain. */
function packageMeant(name: string, value: TomlValue): PackageVersion | undefined {
  if (value === true) return { name, version: 'latest' };
  if (isStrings(value) && (value.length === 1 || value.every((part) => /^[<>=!~]/.test(part)))) {
    return { name, version: value.join(',') || 'latest' };
  }
  if (!isTable(value)) return undefined;
  const extras = isStrings(value.extras) ? value.extras : [];
  const version = versionMeant(value) ?? (extras.length > 0 ? 'latest' : undefined);
  if (typeof version !== 'string') return undefined;
  const markers = typeof value.markers === 'string' ? `; ${value.markers}` : '';
  return { name: extras.length > 0 ? `${name}[${extras.join(',')}]` : name, version: version + markers };
}

function versionMeant({ git, rev, tag, branch, version, url, path }: TomlTable): TomlValue | undefined {
  if (typeof git !== 'string') return version ?? url ?? path;
  const ref = rev ?? tag ?? branch;
  return `git+${git}${typeof ref === 'string' ? `@${ref}` : ''}`;
}

/** In TOML, `zope.interface = "5"` is a table `zope` with a key `interface`. The package is meant, and is sent. */
function* dottedNames(
  table: TomlTable,
  at: readonly string[],
  names: readonly string[],
  into: Record<string, unknown>,
): Generator<ConfigIssue> {
  if (Object.keys(table).length === 0 || names.length > 5) {
    return yield errorAt(at, `the version of ${names.join('.')} must be a string, got a table`);
  }
  for (const [key, value] of Object.entries(table)) {
    const inner = [...names, key];
    const name = inner.join('.');
    if (isTable(value)) yield* dottedNames(value, [...at, key], inner, into);
    else {
      const isVersion = typeof value === 'string';
      if (isVersion) into[name] = value;
      yield (isVersion ? warningAt : errorAt)([...at, key], `the name ${toToml(name)} must be quoted`, {
        part: 'key',
        why: 'an unquoted dot starts a table, and other tools read it so',
        fix: (written) => tomlAssignment(name, isVersion ? written : quoteAsWritten(value, written)),
      });
    }
  }
}

function quoteIt(value: TomlValue, written: string): string {
  const isOther = typeof value === 'number' && String(value) !== written;
  return isOther ? `quote it: without quotes ${written} is the number ${value}` : 'quote it';
}
