import type { TomlTable, TomlValue } from 'smol-toml';
import { type SectionName, sectionNamed, sectionNames, type Values } from '../schema.ts';
import type { Key } from '../schema-keys.ts';
import { describeType, isTable, quoteAsWritten, tomlAssignment, tomlKey, toToml } from './format.ts';
import { type ConfigIssue, errorAt, type Issues } from './issue.ts';
import { exampleOf, unknownKey, unknownTable, valueKinds } from './unknown.ts';

export interface Draft {
  /** What is set in each section: nothing in one that the file lacks. */
  sections: { [S in SectionName]: Values<S> };
  /** The sections that the file has. */
  written: Set<string>;
  /** Dotted names of keys and sections that are present but unreadable. */
  unreadable: Set<string>;
}

export interface FileSettings {
  deployment: Values<'deployment'>;
  /** Package names and versions as written. */
  dependencies: {
    pip: Record<string, string>;
    conda: Record<string, string>;
    apt: Record<string, string>;
    /** Relative to the app folder. */
    paths: Values<'dependencies.paths'>;
  };
}

/** The platform takes an empty list of patterns for its default, so an empty list is absent. */
export function readFileSettings({ deployment, ...sections }: Draft['sections']): FileSettings {
  const { include = [], exclude = [], ...others } = deployment;
  const lists = { ...(include.length > 0 && { include }), ...(exclude.length > 0 && { exclude }) };
  return {
    deployment: { ...lists, ...others },
    dependencies: {
      pip: sections['dependencies.pip'],
      conda: sections['dependencies.conda'],
      apt: sections['dependencies.apt'],
      paths: sections['dependencies.paths'],
    },
  };
}

/** Reads the table `cerebrium`. Known keys of the right type become the draft, everything else issues. */
export function readSections(root: TomlTable): { draft: Draft; issues: ConfigIssue[] } {
  // A package may be called like an inherited property, such as `__proto__`.
  const sections = Object.fromEntries(sectionNames.map((name) => [name, Object.create(null)])) as Draft['sections'];
  const draft: Draft = { sections, written: new Set(), unreadable: new Set() };
  return { draft, issues: [...readTable(root, [], draft, root)] };
}

function* readTable(table: TomlTable, path: readonly string[], draft: Draft, root: TomlTable): Issues {
  const name = path.join('.');
  const section = sectionNamed(name);
  const values: Record<string, unknown> = section ? draft.sections[name as SectionName] : {};
  const settings = new Map(Object.entries(section?.keys ?? {}));
  draft.written.add(name);
  for (const [key, value] of Object.entries(table)) {
    const inner = [...path, key];
    const setting = settings.get(key);
    if (isSectionPath(inner)) yield* readSection(value, inner, draft, root);
    else if (setting) yield* readKey(setting, value, inner, values, draft);
    else if (section?.entries) yield* readPackage(value, inner, values);
    else if (isTable(value)) yield* unknownTable(inner, value, root);
    else yield unknownKey(path, key, value, root);
  }
}

function isSectionPath(path: readonly string[]): boolean {
  const name = path.join('.');
  return sectionNames.some((section) => section === name || section.startsWith(`${name}.`));
}

function* readSection(value: TomlValue, path: readonly string[], draft: Draft, root: TomlTable): Issues {
  if (isTable(value)) return yield* readTable(value, path, draft, root);
  const header = `[cerebrium.${path.join('.')}]`;
  draft.unreadable.add(path.join('.'));
  yield errorAt(['cerebrium', ...path], `${path.join('.')} must be a section, got ${describeType(value)}`, {
    fix: header,
  });
}

function* readKey(key: Key, value: TomlValue, path: readonly string[], into: Record<string, unknown>, draft: Draft) {
  const name = path.at(-1) ?? '';
  // `kinds[key.kind]` gives the rules of one kind; the compiler sees those of all kinds at once.
  const rules = valueKinds[key.kind] as (typeof valueKinds)[typeof key.kind] & { isEmpty?(parsed: unknown): boolean };
  const parsed = rules.parse(value);
  if (parsed === undefined || rules.isEmpty?.(parsed)) {
    draft.unreadable.add(path.join('.'));
    yield* parsed === undefined ? wrongType(key, value, path) : [errorAt(['cerebrium', ...path], `${name} is empty`)];
  } else if (parsed !== '' || key.required) into[name] = parsed;
}

function* wrongType(key: Key, value: TomlValue, path: readonly string[]): Issues {
  const { label, suggest } = valueKinds[key.kind];
  const meant = (written: string) => suggest(value, written, key.unit);
  const name = path.at(-1) ?? '';
  const at = ['cerebrium', ...path];
  if (Array.isArray(value) && label.includes('list')) return yield* wrongElements(value, at);
  yield errorAt(at, `${name} must be ${label}, got ${describeType(value)}`, {
    why: (written) => {
      const meantName = meant(written);
      return meantName === undefined ? exampleOf(key) : meantName.startsWith('"') ? quoteIt(value, written) : undefined;
    },
    fix: (written) => tomlAssignment(name, meant(written)),
  });
}

function* wrongElements(list: readonly TomlValue[], at: readonly string[]): Issues {
  for (const [index, element] of list.entries()) {
    if (typeof element === 'string') continue;
    const message = `${at.at(-1)} must contain only strings, got ${describeType(element)}`;
    yield errorAt([...at, index], message, { fix: (written) => quoteAsWritten(element, written) });
  }
}

function* readPackage(value: TomlValue, path: readonly string[], into: Record<string, unknown>): Issues {
  const name = path.at(-1) ?? '';
  const at = ['cerebrium', ...path];
  if (typeof value !== 'string') yield noVersion(name, value, at);
  else if (localPath.test(value) && path[1] !== 'apt') {
    yield errorAt(at, `the version of ${name} is a path: ${value}`, {
      why: 'a version is a number, a range, a URL or "latest"',
      fix: `[cerebrium.deployment]\nshell_commands = ${toToml([`pip install ${value}`])}`,
    });
  } else into[name] = value;
}

const localPath = /^(\.{1,2}|~)?[\\/]|^[a-z]:\\/i;

/** In TOML, `zope.interface = "5"` is a table `zope` with a key `interface`. */
function noVersion(name: string, value: TomlValue, at: string[]): ConfigIssue {
  const message = `the version of ${name} must be a string, got ${describeType(value)}`;
  const why = 'a version is one string, such as ">=1.2", and a name with dots is quoted';
  if (typeof value === 'boolean')
    return errorAt(at, message, { fix: value ? `${tomlKey(name)} = "latest"` : `remove ${name}` });
  const fix = (written: string) => (written.startsWith('{') ? undefined : withoutDots(name, value));
  if (typeof value === 'object' && !(value instanceof Date)) return errorAt(at, message, { why, fix });
  return errorAt(at, message, {
    why: (written) => quoteIt(value, written),
    fix: (written) => tomlAssignment(name, quoteAsWritten(value, written)),
  });
}

function withoutDots(name: string, value: TomlValue): string | undefined {
  const names = [name];
  let inner: TomlValue | undefined = value;
  while (isTable(inner)) {
    const [only, second]: [string, TomlValue][] = Object.entries(inner);
    names.push(only?.[0] ?? '');
    inner = second ? undefined : only?.[1];
  }
  return typeof inner === 'string' ? `${tomlKey(names.join('.'))} = ${toToml(inner)}` : undefined;
}

function quoteIt(value: TomlValue, written: string): string {
  const isOther = typeof value === 'number' && String(value) !== written;
  return isOther ? `quote it: without quotes ${written} is the number ${value}` : 'quote it';
}
