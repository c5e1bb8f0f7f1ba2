import type { TomlTable, TomlValue } from 'smol-toml';
import type { Key } from '../key.ts';
import { type SectionName, sectionNamed, sectionNames, type Values } from '../schema.ts';
import { describeType, isTable, quoteAsWritten, tomlAssignment, toToml } from './format.ts';
import { type ConfigIssue, errorAt } from './issue.ts';
import { unknownKey, unknownTable } from './unknown.ts';
import { valueKinds } from './value-kinds.ts';

/** What a cerebrium.toml says, section by section, as far as it could be read. */
export interface Draft {
  sections: { [S in SectionName]?: Values<S> };
  /** Dotted names of what is there and unreadable: nothing may be concluded from its absence in `sections`. */
  unreadable: Set<string>;
}

/** Reads the root table `cerebrium`: known keys of the right type go into the draft, all else into the findings. */
export function readSections(root: TomlTable): { draft: Draft; findings: ConfigIssue[] } {
  const held: Held = { sections: {}, unreadable: new Set() };
  const findings = [...readTable(root, [], held)];
  // The table of sections decides both what was put in and what `Values` says is there.
  return { draft: held as Draft, findings };
}

interface Held {
  sections: Record<string, Record<string, unknown>>;
  unreadable: Set<string>;
}

function* readTable(table: TomlTable, path: readonly string[], held: Held): Generator<ConfigIssue> {
  const name = path.join('.');
  const section = sectionNamed(name);
  // Packages may have the names of inherited properties, such as `__proto__`.
  if (section) held.sections[name] ??= Object.create(null) as Record<string, unknown>;
  const values = held.sections[name] ?? {};
  for (const [key, value] of Object.entries(table)) {
    const inner = [...path, key];
    const known = section && Object.hasOwn(section.keys, key) ? section.keys[key] : undefined;
    if (isSectionPath(inner)) yield* readSection(value, inner, held);
    else if (known) yield* readKey(known, value, inner, values, held);
    else if (section?.entries) yield* readPackage(value, inner, values);
    else if (isTable(value)) yield* unknownTable(inner, value);
    else yield unknownKey(path, key);
  }
}

function isSectionPath(path: readonly string[]): boolean {
  const name = path.join('.');
  return sectionNames.some((section) => section === name || section.startsWith(`${name}.`));
}

function* readSection(value: TomlValue, path: readonly string[], held: Held): Generator<ConfigIssue> {
  if (isTable(value)) return yield* readTable(value, path, held);
  const header = `[cerebrium.${path.join('.')}]`;
  held.unreadable.add(path.join('.'));
  yield errorAt(['cerebrium', ...path], `${path.join('.')} must be a section, and is ${describeType(value)}`, {
    fix: header,
  });
}

function* readKey(key: Key, value: TomlValue, path: readonly string[], into: Record<string, unknown>, held: Held) {
  const name = path.at(-1) ?? '';
  // `kinds[key.kind]` gives the rules of one kind; the compiler sees those of all kinds at once.
  const rules = valueKinds[key.kind] as (typeof valueKinds)[typeof key.kind] & { isEmpty?(taken: unknown): boolean };
  const taken = rules.parse(value);
  if (taken === undefined || rules.isEmpty?.(taken)) {
    held.unreadable.add(path.join('.'));
    yield* taken === undefined ? wrongType(key, value, path) : [errorAt(['cerebrium', ...path], `${name} is empty`)];
  } else if (taken !== '' || key.required) into[name] = taken;
}

function* wrongType({ kind }: Key, value: TomlValue, path: readonly string[]): Generator<ConfigIssue> {
  const { label, suggest } = valueKinds[kind];
  const name = path.at(-1) ?? '';
  const at = ['cerebrium', ...path];
  if (Array.isArray(value) && label.includes('list')) return yield* wrongElements(value, at);
  yield errorAt(at, `${name} must be ${label}, and is ${describeType(value)}`, {
    why: (written) => (suggest(value, written)?.startsWith('"') ? quoteIt(value, written) : undefined),
    fix: (written) => tomlAssignment(name, suggest(value, written)),
  });
}

function* wrongElements(list: readonly TomlValue[], at: readonly string[]): Generator<ConfigIssue> {
  for (const [index, element] of list.entries()) {
    if (typeof element === 'string') continue;
    const message = `${at.at(-1)} must hold strings only, and this is ${describeType(element)}`;
    yield errorAt([...at, index], message, { fix: (written) => quoteAsWritten(element, written) });
  }
}

/** A package's version. Names are the user's, dots included, and stay as written. */
function* readPackage(
  value: TomlValue,
  path: readonly string[],
  into: Record<string, unknown>,
): Generator<ConfigIssue> {
  const name = path.at(-1) ?? '';
  const at = ['cerebrium', ...path];
  if (typeof value === 'string') into[name] = value;
  else if (!isTable(value)) {
    yield errorAt(at, `the version of ${name} must be a string, and is ${describeType(value)}`, {
      why: (written) => quoteIt(value, written),
      fix: (written) => tomlAssignment(name, quoteAsWritten(value, written)),
    });
  } else if (typeof value.version === 'string') {
    const fix = tomlAssignment(name, toToml(value.version));
    yield errorAt(at, `the version of ${name} must be a string, and is a table`, { fix });
  } else yield* dottedNames(value, at, [name]);
}

/** `zope.interface = "5"` is, to TOML, a table `zope` with a key `interface`. */
function* dottedNames(table: TomlTable, at: readonly string[], names: readonly string[]): Generator<ConfigIssue> {
  if (Object.keys(table).length === 0 || names.length > 5) {
    return yield errorAt(at, `the version of ${names.join('.')} must be a string, and is a table`);
  }
  for (const [key, value] of Object.entries(table)) {
    const inner = [...names, key];
    if (isTable(value)) yield* dottedNames(value, [...at, key], inner);
    else {
      const name = toToml(inner.join('.'));
      yield errorAt([...at, key], `the name ${name} must be in quotes`, {
        part: 'key',
        why: 'a dot outside quotes begins a table',
        fix: (written) =>
          tomlAssignment(inner.join('.'), typeof value === 'string' ? written : quoteAsWritten(value, written)),
      });
    }
  }
}

function quoteIt(value: TomlValue, written: string): string {
  const isOther = typeof value === 'number' && String(value) !== written;
  return isOther ? `quote it: without quotes ${written} is the number ${value}` : 'quote it';
}
