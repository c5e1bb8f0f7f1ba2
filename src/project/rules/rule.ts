import type { SectionName } from '../schema.ts';
import { partners } from '../schema.ts';
import type { ConfigIssue } from '../toml/issue.ts';
import type { Draft } from '../toml/sections.ts';

/** An app as its file describes it, for rules to judge. */
export interface RuleInput {
  /** Folder of the config file: what the file names is looked up there. */
  root: string;
  /** The name given on the command line instead of the one in the file. */
  givenName?: string | undefined;
  sections: Draft['sections'];
  unreadable: Draft['unreadable'];
}

export type Rule = (app: RuleInput) => Iterable<ConfigIssue>;

export type Runtime = 'cortex' | 'custom' | (typeof partners)[number];

/** What starts the app; of contradicting sections, the one the platform prefers. */
export function selectRuntime(sections: Draft['sections']): Runtime {
  return partners.find((name) => sections[`runtime.${name}`]) ?? (sections['runtime.custom'] ? 'custom' : 'cortex');
}

/**
 * Whether what is known of a key, its absence included, is what the user meant: false when it is there and could
 * not be read. That is reported already, and conclusions from it would be noise.
 */
export function isReadable({ unreadable }: RuleInput, ...keys: string[]): boolean {
  return keys.every((key) => !unreadable.has(key) && !unreadable.has(parentOf(key)) && !unreadable.has(topOf(key)));
}

/** Keys of a section that were given a value that means something. */
export function isSet({ sections }: RuleInput, section: SectionName, key?: string): boolean {
  const values: Record<string, unknown> = sections[section] ?? {};
  const value = key === undefined ? values : values[key];
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined;
}

function parentOf(key: string): string {
  return key.split('.').slice(0, -1).join('.');
}

function topOf(key: string): string {
  return key.split('.')[0] ?? key;
}
