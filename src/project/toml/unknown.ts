import type { TomlTable } from 'smol-toml';
import { type SectionName, sectionNamed, sectionNames, sections } from '../schema.ts';
import { closestName } from './closest-name.ts';
import { isTable, tomlKey } from './format.ts';
import { type ConfigIssue, warningAt } from './issue.ts';

/** Names that were right once, or look right, and what became of them. */
const former: Record<string, { why: string; fix?(written: string): string }> = {
  'hardware.gpu': {
    why: 'gpu is no longer read: without compute the app runs on CPU',
    fix: (written) => `compute = ${written}`,
  },
  'runtime.cortex': { why: 'cortex is what runs without a runtime section' },
};

/** A key nobody reads: misspelt, in the wrong section, or out of date. */
export function unknownKey(path: readonly string[], key: string): ConfigIssue {
  const at = ['cerebrium', ...path, key];
  const here = path.join('.');
  const name = tomlKey(key);
  const old = formerly(`${here}.${key}`);
  if (old) return warningAt(at, `${name} is ignored`, { part: 'key', ...old });

  const meant = closestName(key, Object.keys(sectionNamed(here)?.keys ?? {}));
  if (meant) {
    const fix = (written: string) => `${meant} = ${written}`;
    return warningAt(at, `unknown key ${name} is ignored: did you mean ${meant}?`, { part: 'key', fix });
  }
  const home = homeOf(key);
  if (home) {
    const fix = (written: string) => `[cerebrium.${home}]\n${key.toLowerCase()} = ${written}`;
    return warningAt(at, `${name} is ignored here: it belongs in [cerebrium.${home}]`, { part: 'key', fix });
  }
  return warningAt(at, `unknown key ${name} is ignored`, { part: 'key' });
}

/** Tables nobody reads; of nested ones the innermost, whose header the user wrote. */
export function* unknownTable(path: readonly string[], table: TomlTable): Generator<ConfigIssue> {
  const inner = path.length < 6 ? Object.entries(table) : [];
  for (const [key, value] of inner) if (isTable(value)) yield* unknownTable([...path, key], value);
  if (inner.length === 0 || inner.some(([, value]) => !isTable(value))) yield unknownSection(path, table);
}

function unknownSection(path: readonly string[], table: TomlTable): ConfigIssue {
  const at = ['cerebrium', ...path];
  const header = `[${at.map(tomlKey).join('.')}]`;
  const old = formerly(path.join('.'));
  if (old) return warningAt(at, `${header} is ignored`, old);

  const meant = closestSection(path);
  if (meant) {
    const fix = `[cerebrium.${meant}]`;
    return warningAt(at, `unknown section ${header} is ignored: did you mean ${fix}?`, { fix });
  }
  const [stray] = Object.keys(table).flatMap((key) => homeOf(key) ?? []);
  const why = stray ? `its keys belong in [cerebrium.${stray}]` : whatIsKnown(path);
  return warningAt(at, `unknown section ${header} is ignored`, { why, fix: stray && `[cerebrium.${stray}]` });
}

function formerly(name: string) {
  return Object.hasOwn(former, name) ? former[name] : undefined;
}

/** The section a key lives in, wherever the user put it; the first one if there are several. */
function homeOf(key: string): SectionName | undefined {
  return sectionNames.find((name) => Object.hasOwn(sections[name].keys, key.toLowerCase()));
}

/** Real users write `[cerebrium.pip.dependancies]`: the order of names does not count, nor a missing first one. */
function closestSection(path: readonly string[]): string | undefined {
  const sorted = new Map(sectionNames.map((name) => [name.split('.').sort().join('.'), name]));
  const inOrder = closestName([...path].sort().join('.'), sorted.keys());
  const last = sectionNames.find((name) => path.length === 1 && name.endsWith(`.${path[0]?.toLowerCase()}`));
  return (inOrder && sorted.get(inOrder)) ?? last;
}

function whatIsKnown(path: readonly string[]): string {
  const siblings = sectionNames.filter((name) => path.length > 1 && name.startsWith(`${path[0]}.`));
  return `known: ${(siblings.length > 0 ? siblings : sectionNames).join(', ')}`;
}
