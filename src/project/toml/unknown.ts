import type { TomlTable } from 'smol-toml';
import { type SectionName, sectionNamed, sectionNames, sections } from '../schema.ts';
import { closestName } from './closest-name.ts';
import { isTable, tomlKey } from './format.ts';
import { type ConfigIssue, warningAt } from './issue.ts';

/** Names that were valid once, or look valid. */
const formerNames: Record<string, { why: string; fix?(written: string): string }> = {
  'hardware.gpu': {
    why: 'gpu is no longer supported: without compute the app runs on CPU',
    fix: (written) => `compute = ${written}`,
  },
  'runtime.cortex': { why: 'cortex is the default without a runtime section' },
};

/** An unknown key: misspelled, in the wrong section, or outdated. */
export function unknownKey(path: readonly string[], key: string): ConfigIssue {
  const at = ['cerebrium', ...path, key];
  const here = path.join('.');
  const name = tomlKey(key);
  const old = formerName(`${here}.${key}`);
  if (old) return warningAt(at, `${name} is ignored`, { part: 'key', ...old });

  const meant = closestName(key, Object.keys(sectionNamed(here)?.keys ?? {}));
  if (meant) {
    const fix = (written: string) => `${meant} = ${written}`;
    return warningAt(at, `unknown key ${name} is ignored: did you mean ${meant}?`, { part: 'key', fix });
  }
  const section = sectionOf(key);
  if (section) {
    const fix = (written: string) => `[cerebrium.${section}]\n${key.toLowerCase()} = ${written}`;
    return warningAt(at, `${name} is ignored here: it belongs in [cerebrium.${section}]`, { part: 'key', fix });
  }
  return warningAt(at, `unknown key ${name} is ignored`, { part: 'key' });
}

/** Unknown tables; of nested tables, the innermost, whose header is in the file. */
export function* unknownTable(path: readonly string[], table: TomlTable): Generator<ConfigIssue> {
  const inner = path.length < 6 ? Object.entries(table) : [];
  for (const [key, value] of inner) if (isTable(value)) yield* unknownTable([...path, key], value);
  if (inner.length === 0 || inner.some(([, value]) => !isTable(value))) yield unknownSection(path, table);
}

function unknownSection(path: readonly string[], table: TomlTable): ConfigIssue {
  const at = ['cerebrium', ...path];
  const header = `[${at.map(tomlKey).join('.')}]`;
  const old = formerName(path.join('.'));
  if (old) return warningAt(at, `${header} is ignored`, old);

  const meant = closestSection(path);
  if (meant) {
    const fix = `[cerebrium.${meant}]`;
    return warningAt(at, `unknown section ${header} is ignored: did you mean ${fix}?`, { fix });
  }
  const [stray] = Object.keys(table).flatMap((key) => sectionOf(key) ?? []);
  const why = stray ? `its keys belong in [cerebrium.${stray}]` : knownSections(path);
  return warningAt(at, `unknown section ${header} is ignored`, { why, fix: stray && `[cerebrium.${stray}]` });
}

function formerName(name: string) {
  return Object.hasOwn(formerNames, name) ? formerNames[name] : undefined;
}

function sectionOf(key: string): SectionName | undefined {
  return sectionNames.find((name) => Object.hasOwn(sections[name].keys, key.toLowerCase()));
}

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
