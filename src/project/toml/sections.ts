import type { TomlTable, TomlValue } from 'smol-toml';
import type { Key } from '../key.ts';
import { type SectionName, sectionNamed, sectionNames, type Values } from '../schema.ts';
import { error, type Finding } from './finding.ts';
import { kinds } from './kinds.ts';
import { unknownKey, unknownTable } from './unknown.ts';
import { assigned, inToml, isTable, nameOf, quoted } from './written.ts';

/** What a cerebrium.toml says, section by section, as far as it could be read. */
export interface Draft {
  sections: { [S in SectionName]?: Values<S> };
  /** Dotted names of what is there and unreadable: nothing may be concluded from its absence in `sections`. */
  unreadable: Set<string>;
}

/** Reads the root table `cerebrium`: known keys of the right type go into the draft, all else into the findings. */
export function readSections(root: TomlTable): { draft: Draft; findings: Finding[] } {
  const held: Held = { sections: {}, unreadable: new Set() };
  const findings = [...readTable(root, [], held)];
  // The table of sections decides both what was put in and what `Values` says is there.
  return { draft: held as Draft, findings };
}

interface Held {
  sections: Record<string, Record<string, unknown>>;
  unreadable: Set<string>;
}

function* readTable(table: TomlTable, path: readonly string[], held: Held): Generator<Finding> {
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

function* readSection(value: TomlValue, path: readonly string[], held: Held): Generator<Finding> {
  if (isTable(value)) return yield* readTable(value, path, held);
  const header = `[cerebrium.${path.join('.')}]`;
  held.unreadable.add(path.join('.'));
  yield error(['cerebrium', ...path], `${path.join('.')} must be a section, and is ${nameOf(value)}`, { fix: header });
}

function* readKey(key: Key, value: TomlValue, path: readonly string[], into: Record<string, unknown>, held: Held) {
  const name = path.at(-1) ?? '';
  // `kinds[key.kind]` gives the rules of one kind; the compiler sees those of all kinds at once.
  const rules = kinds[key.kind] as (typeof kinds)[typeof key.kind] & { isEmpty?(taken: unknown): boolean };
  const taken = rules.take(value);
  if (taken === undefined || rules.isEmpty?.(taken)) {
    held.unreadable.add(path.join('.'));
    yield* taken === undefined ? wrongType(key, value, path) : [error(['cerebrium', ...path], `${name} is empty`)];
  } else if (taken !== '' || key.required) into[name] = taken;
}

function* wrongType({ kind }: Key, value: TomlValue, path: readonly string[]): Generator<Finding> {
  const { called, mend } = kinds[kind];
  const name = path.at(-1) ?? '';
  const at = ['cerebrium', ...path];
  if (Array.isArray(value) && called.includes('list')) return yield* wrongElements(value, at);
  yield error(at, `${name} must be ${called}, and is ${nameOf(value)}`, {
    why: (written) => (mend(value, written)?.startsWith('"') ? quoteIt(value, written) : undefined),
    fix: (written) => assigned(name, mend(value, written)),
  });
}

function* wrongElements(list: readonly TomlValue[], at: readonly string[]): Generator<Finding> {
  for (const [index, element] of list.entries()) {
    if (typeof element === 'string') continue;
    const message = `${at.at(-1)} must hold strings only, and this is ${nameOf(element)}`;
    yield error([...at, index], message, { fix: (written) => quoted(element, written) });
  }
}

/** A package's version. Names are the user's, dots included, and stay as written. */
function* readPackage(value: TomlValue, path: readonly string[], into: Record<string, unknown>): Generator<Finding> {
  const name = path.at(-1) ?? '';
  const at = ['cerebrium', ...path];
  if (typeof value === 'string') into[name] = value;
  else if (!isTable(value)) {
    yield error(at, `the version of ${name} must be a string, and is ${nameOf(value)}`, {
      why: (written) => quoteIt(value, written),
      fix: (written) => assigned(name, quoted(value, written)),
    });
  } else if (typeof value.version === 'string') {
    const fix = assigned(name, inToml(value.version));
    yield error(at, `the version of ${name} must be a string, and is a table`, { fix });
  } else yield* dottedNames(value, at, [name]);
}

/** `zope.interface = "5"` is, to TOML, a table `zope` with a key `interface`. */
function* dottedNames(table: TomlTable, at: readonly string[], names: readonly string[]): Generator<Finding> {
  if (Object.keys(table).length === 0 || names.length > 5) {
    return yield error(at, `the version of ${names.join('.')} must be a string, and is a table`);
  }
  for (const [key, value] of Object.entries(table)) {
    const inner = [...names, key];
    if (isTable(value)) yield* dottedNames(value, [...at, key], inner);
    else {
      const name = inToml(inner.join('.'));
      yield error([...at, key], `the name ${name} must be in quotes`, {
        part: 'key',
        why: 'a dot outside quotes begins a table',
        fix: (written) => assigned(inner.join('.'), typeof value === 'string' ? written : quoted(value, written)),
      });
    }
  }
}

function quoteIt(value: TomlValue, written: string): string {
  const isOther = typeof value === 'number' && String(value) !== written;
  return isOther ? `quote it: without quotes ${written} is the number ${value}` : 'quote it';
}
