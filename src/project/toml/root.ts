import type { TomlTable, TomlValue } from 'smol-toml';
import { sectionNames } from '../schema.ts';
import { closestName } from './closest-name.ts';
import { describeType, isTable, tomlKey } from './format.ts';
import { type ConfigIssue, errorAt, warningAt } from './issue.ts';

/** The table `cerebrium`, and what is wrong around it: nothing outside it is read. */
export function readRoot(document: TomlTable): { cerebrium?: TomlTable; findings: ConfigIssue[] } {
  const { cerebrium, ...others } = document;
  const say = cerebrium === undefined ? errorAt : warningAt;
  const strays = Object.entries(others).flatMap(([name, value]) => [...stray(name, value, say)]);
  if (isTable(cerebrium)) return { cerebrium, findings: strays };
  if (cerebrium !== undefined) {
    const message = `cerebrium must be a section, and is ${describeType(cerebrium)}`;
    return { findings: [errorAt(['cerebrium'], message, { fix: '[cerebrium.deployment]' }), ...strays] };
  }
  if (strays.some(({ severity }) => severity === 'error')) return { findings: strays };
  const why = 'all that is read is below cerebrium: [cerebrium.deployment], [cerebrium.hardware], …';
  const fix = '[cerebrium.deployment]\nname = "my-app"';
  return { findings: [errorAt(['cerebrium'], 'there is no [cerebrium] in this file', { why, fix }), ...strays] };
}

/** Something beside `cerebrium`. A section that was meant to be in it is as grave as `say` says. */
function* stray(name: string, value: TomlValue, say: typeof errorAt): Generator<ConfigIssue> {
  const why = 'all that is read is below cerebrium';
  const misnamed = sectionNames.filter((section) => standsAt(name, value, section.split('.')));
  for (const section of misnamed) {
    const fix = `[cerebrium.${section}]`;
    yield say(section.split('.'), `[${section}] is not read: did you mean ${fix}?`, { part: 'key', why, fix });
  }
  if (misnamed.length > 0) return;
  const isRoot = closestName(name, ['cerebrium']) !== undefined;
  const hint = isRoot ? ': did you mean cerebrium?' : '';
  yield (isRoot ? say : warningAt)([name], `${tomlKey(name)} is not read${hint}`, { part: 'key', why });
}

/** Whether the table of a section is written there: one with keys of its own, not merely around another. */
function standsAt(top: string, value: TomlValue | undefined, [first, ...below]: readonly string[]): boolean {
  if (top !== first) return false;
  const table = below.reduce<TomlValue | undefined>((outer, name) => (isTable(outer) ? outer[name] : undefined), value);
  return isTable(table) && (Object.keys(table).length === 0 || Object.values(table).some((inner) => !isTable(inner)));
}
