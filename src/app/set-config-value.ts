import { tomlKey, toToml } from './toml/format.ts';
import { findOffsets } from './toml/issue.ts';

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
