import { stretchOf } from './toml/places.ts';
import { inToml } from './toml/written.ts';

/**
 * The config file's text with another app name and no other change: the platform reads the name in the text too. Adds
 * the name to its section if it is missing.
 */
export async function withName(text: string, name: string): Promise<string> {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(mark.length);
  const value = await stretchOf(body, ['cerebrium', 'deployment', 'name']);
  if (value) return mark + body.slice(0, value[0]) + inToml(name) + body.slice(value[1]);

  const header = await stretchOf(body, ['cerebrium', 'deployment']);
  const end = body.includes('\r\n') ? '\r\n' : '\n';
  if (!header) return `${mark}${body}${end}[cerebrium.deployment]${end}name = ${inToml(name)}${end}`;
  const isHeader = body[header[0]] === '[';
  if (isHeader) return `${mark}${body.slice(0, header[1])}${end}name = ${inToml(name)}${body.slice(header[1])}`;
  const empty = /^\{\s*\}$/.test(body.slice(...header));
  return `${mark}${body.slice(0, header[0] + 1)} name = ${inToml(name)}${empty ? ' ' : ','}${body.slice(header[0] + 1)}`;
}
