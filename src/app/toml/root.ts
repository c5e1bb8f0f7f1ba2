import type { TomlTable, TomlValue } from 'smol-toml';
import { closestName } from '../../kernel/closest-name.ts';
import { sectionNames } from '../schema.ts';
import { environmentIssue } from './environment-section.ts';
import { describeType, isTable, tomlKey } from './format.ts';
import { type ConfigIssue, errorAt, type Issues, warningAt } from './issue.ts';
import { headerFix, tableAt } from './unknown.ts';

/** Returns the table `cerebrium`, and issues about everything outside of it, which is ignored. */
export function readRoot(document: TomlTable): { cerebrium?: TomlTable; issues: ConfigIssue[] } {
  const { cerebrium, ...others } = document;
  const report = cerebrium === undefined ? errorAt : warningAt;
  const strays = Object.entries(others).flatMap(
    ([name, value]) => environmentIssue([name], value) ?? [...stray(name, value, report, cerebrium)],
  );
  if (isTable(cerebrium)) return { cerebrium, issues: strays };
  if (cerebrium !== undefined) {
    const message = `cerebrium must be a section, got ${describeType(cerebrium)}`;
    return { issues: [errorAt(['cerebrium'], message, { fix: '[cerebrium.deployment]' }), ...strays] };
  }
  if (strays.some(({ severity }) => severity === 'error')) return { issues: strays };
  const why = 'all settings are below cerebrium: [cerebrium.deployment], [cerebrium.hardware], …';
  const fix = '[cerebrium.deployment]\nname = "my-app"';
  return { issues: [errorAt(['cerebrium'], '[cerebrium] not found in this file', { why, fix }), ...strays] };
}

/** Reports a key outside of `cerebrium`; by `report` if it is a section that belongs in it. */
function* stray(name: string, value: TomlValue, report: typeof errorAt, cerebrium: TomlValue | undefined): Issues {
  const why = 'only settings below cerebrium are read';
  const misnamed = sectionNames.filter((section) => hasSection(name, value, section.split('.')));
  for (const section of misnamed) {
    const message = `[${section}] is ignored: did you mean [cerebrium.${section}]?`;
    const fix = headerFix(section, isTable(cerebrium) ? cerebrium : undefined);
    const supplies = Object.keys(tableAt(value, section.split('.').slice(1)) ?? {}).map((key) => `${section}.${key}`);
    yield report(section.split('.'), message, { part: 'key', why, fix, supplies });
  }
  if (misnamed.length > 0) return;
  const isRoot = closestName(name, ['cerebrium']) !== undefined;
  const hint = isRoot ? ': did you mean cerebrium?' : '';
  yield (isRoot ? report : warningAt)([name], `${tomlKey(name)} is ignored${hint}`, { part: 'key', why });
}

function hasSection(top: string, value: TomlValue | undefined, [first, ...below]: readonly string[]): boolean {
  if (top !== first) return false;
  const table = tableAt(value, below);
  return (
    table !== undefined && (Object.keys(table).length === 0 || Object.values(table).some((inner) => !isTable(inner)))
  );
}
