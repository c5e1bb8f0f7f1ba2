import { createHash } from 'node:crypto';

/** `20261123T140201123Z-1f2e….json`: names sort by time, and two that write at once never have the same one. */
export function documentName(at: string, text: string): string {
  return `${at.replace(/[-:.]/g, '')}-${createHash('sha256').update(text).digest('hex')}.json`;
}

/** In ms since 1970; NaN if the name is not one of ours. */
export function documentTime(name: string): number {
  return Date.parse(name.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-.*$/, '$1-$2-$3T$4:$5:$6.$7Z'));
}
