import type { FileLocation } from '../kernel/errors.ts';
import type { AppConfig } from './config.ts';
import { tomlKey, toToml } from './toml/format.ts';
import { findOffsets } from './toml/issue.ts';
import { createSource, locationOf } from './toml/source.ts';

/** Where it is, or else as the first of its section. Changes nothing else, so that comments stay. */
export async function setConfigValue(
  text: string,
  section: readonly string[],
  key: string,
  value: string,
): Promise<string> {
  const byteOrderMark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(byteOrderMark.length);
  const written = await findOffsets(body, [...section, key]);
  if (written) return byteOrderMark + body.slice(0, written[0]) + value + body.slice(written[1]);

  const header = await findOffsets(body, section);
  const newline = body.includes('\r\n') ? '\r\n' : '\n';
  const assignment = `${tomlKey(key)} = ${value}`;
  if (!header) {
    return `${byteOrderMark}${body}${newline}[${section.map(tomlKey).join('.')}]${newline}${assignment}${newline}`;
  }
  const isHeader = body[header[0]] === '[';
  if (isHeader) return `${byteOrderMark}${body.slice(0, header[1])}${newline}${assignment}${body.slice(header[1])}`;
  const empty = /^\{\s*\}$/.test(body.slice(...header));
  return `${byteOrderMark}${body.slice(0, header[0] + 1)} ${assignment}${empty ? ' ' : ','}${body.slice(header[0] + 1)}`;
}

/** Sets the app name in the text of a config file, since the platform reads it there, too. Changes nothing else. */
export function withAppName(text: string, name: string): Promise<string> {
  return setConfigValue(text, ['cerebrium', 'deployment'], 'name', toToml(name));
}

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
