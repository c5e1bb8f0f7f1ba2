import type { SectionName } from '../schema.ts';
import { partners } from '../schema.ts';
import type { ConfigIssue } from '../toml/issue.ts';
import type { Draft } from '../toml/sections.ts';

export interface RuleInput {
  /** The app folder; paths in the file are relative to it. */
  root: string;
  configFolder: string;
  /** The name from the command line, which overrides the one in the file. */
  givenName?: string | undefined;
  sections: Draft['sections'];
  unreadable: Draft['unreadable'];
}

export type Rule = (app: RuleInput) => Iterable<ConfigIssue>;

export type Runtime = 'cortex' | 'custom' | (typeof partners)[number];

/** The runtime; of several, the one that the platform prefers. */
export function selectRuntime(sections: Draft['sections']): Runtime {
  return partners.find((name) => sections[`runtime.${name}`]) ?? (sections['runtime.custom'] ? 'custom' : 'cortex');
}

/** False if a key is present but unreadable, which is reported already: rules must not treat it as absent. */
export function isReadable({ unreadable }: RuleInput, ...keys: string[]): boolean {
  return keys.every((key) => !unreadable.has(key) && !unreadable.has(parentKey(key)) && !unreadable.has(topLevel(key)));
}

/** Whether a key, or any key of a section, has a value that is not empty. */
export function isSet({ sections }: RuleInput, section: SectionName, key?: string): boolean {
  const values: Record<string, unknown> = sections[section] ?? {};
  const value = key === undefined ? values : values[key];
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined;
}

function parentKey(key: string): string {
  return key.split('.').slice(0, -1).join('.');
}

function topLevel(key: string): string {
  return key.split('.')[0] ?? key;
}
