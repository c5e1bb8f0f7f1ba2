import { toToml } from './toml/format.ts';
import { findOffsets } from './toml/locate.ts';

/**
 * The config file's text with another app name and no other change: the platform reads the name in the text too. Adds
 * the name to its section if it is missing.
 */
export async function withAppName(text: string, name: string): Promise<string> {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(mark.length);
  const value = await findOffsets(body, ['cerebrium', 'deployment', 'name']);
  if (value) return mark + body.slice(0, value[0]) + toToml(name) + body.slice(value[1]);

  const header = await findOffsets(body, ['cerebrium', 'deployment']);
  const end = body.includes('\r\n') ? '\r\n' : '\n';
  if (!header) return `${mark}${body}${end}[cerebrium.deployment]${end}name = ${toToml(name)}${end}`;
  const isHeader = body[header[0]] === '[';
  if (isHeader) return `${mark}${body.slice(0, header[1])}${end}name = ${toToml(name)}${body.slice(header[1])}`;
  const empty = /^\{\s*\}$/.test(body.slice(...header));
  return `${mark}${body.slice(0, header[0] + 1)} name = ${toToml(name)}${empty ? ' ' : ','}${body.slice(header[0] + 1)}`;
}
