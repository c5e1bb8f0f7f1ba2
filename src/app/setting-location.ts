import type { FileLocation } from '../kernel/errors.ts';
import type { AppConfig } from './config.ts';
import { findOffsets } from './toml/issue.ts';
import { createSource, locationOf } from './toml/source.ts';

/**
 * Where a setting of a config file is, by its dotted path below `cerebrium`; of one that is not set, its section. Undefined
 * if the file has neither: another place would be wrong. The key of a package may have dots: it is what follows the third
 * name.
 */
export async function locateSetting(
  { text }: Pick<AppConfig, 'text'>,
  shownAs: string,
  setting: string,
): Promise<FileLocation | undefined> {
  const path = settingPath(setting);
  for (const at of [path, path.slice(0, -1)]) {
    const range = await findOffsets(text, at);
    if (range && !isOtherSection(text.slice(...range), at)) return locationOf(createSource(text, shownAs), ...range);
  }
  return undefined;
}

/** The header of a section also stands for those around it. */
function isOtherSection(marked: string, path: readonly string[]): boolean {
  return /^\[+\s*"?cerebrium\b/.test(marked) && marked.replaceAll(/[[\]\s"']/g, '') !== path.join('.');
}

function settingPath(setting: string): string[] {
  const [section = '', name, ...rest] = setting.split('.');
  return ['cerebrium', section, ...(name === undefined ? [] : [name]), ...(rest.length > 0 ? [rest.join('.')] : [])];
}
