import { toToml } from './toml/format.ts';
import { findOffsets } from './toml/locate.ts';

/** Sets the app name in the text of a config file, since the platform reads it there, too. Changes nothing else. */
export async function withAppName(text: string, name: string): Promise<string> {
  const byteOrderMark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(byteOrderMark.length);
  const value = await findOffsets(body, ['cerebrium', 'deployment', 'name']);
  if (value) return byteOrderMark + body.slice(0, value[0]) + toToml(name) + body.slice(value[1]);

  const header = await findOffsets(body, ['cerebrium', 'deployment']);
  const newline = body.includes('\r\n') ? '\r\n' : '\n';
  if (!header)
    return `${byteOrderMark}${body}${newline}[cerebrium.deployment]${newline}name = ${toToml(name)}${newline}`;
  const isHeader = body[header[0]] === '[';
  if (isHeader)
    return `${byteOrderMark}${body.slice(0, header[1])}${newline}name = ${toToml(name)}${body.slice(header[1])}`;
  const empty = /^\{\s*\}$/.test(body.slice(...header));
  return `${byteOrderMark}${body.slice(0, header[0] + 1)} name = ${toToml(name)}${empty ? ' ' : ','}${body.slice(header[0] + 1)}`;
}
