import { partners, type SectionName } from '../schema.ts';
import type { ConfigIssue } from '../toml/issue.ts';
import type { Draft } from '../toml/sections.ts';

export interface RuleInput extends Draft {
  root: string;
  configFolder: string;
  /** The name from the command line, which overrides the one in the file. */
  givenName?: string | undefined;
}

export type ConfigRule = (app: RuleInput) => Iterable<ConfigIssue>;

export type Runtime = 'cortex' | 'custom' | (typeof partners)[number];

/** The runtime; of several, the one that the platform prefers. */
export function selectRuntime({ written }: Draft): Runtime {
  return ([...partners, 'custom'] as const).find((name) => written.has(`runtime.${name}`)) ?? 'cortex';
}

/** False if a key, or what it is in, is present but unreadable, which is reported already: it must not count as absent. */
export function isReadable({ unreadable }: RuleInput, ...keys: string[]): boolean {
  return !keys.some((key) => [...unreadable].some((each) => `${key}.`.startsWith(`${each}.`)));
}

/** Whether a key, or any key of a section, has a value that is not empty. */
export function isSet({ sections }: RuleInput, section: SectionName, key?: string): boolean {
  const values: Record<string, unknown> = sections[section];
  const value = key === undefined ? values : values[key];
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined;
}
