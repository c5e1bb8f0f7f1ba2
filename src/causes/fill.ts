import type { Captured } from './rule.ts';

/** `{package|a package}` is the group, or the text after the bar if nothing was captured. */
export function fill(template: string, captured: Captured): string {
  return template
    .replace(/\{(\w+)(?:\|([^}]*))?\}/g, (_, name: string, otherwise = '') => captured[name] ?? otherwise)
    .replace(/ {2,}/g, ' ')
    .replace(/[\s:]+$/, '');
}
