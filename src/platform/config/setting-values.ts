import { gantryCommand } from '../../kernel/command-line.ts';
import { type GantryError, UsageError } from '../../kernel/errors.ts';
import { isSecure } from '../contract/address.ts';

/**
 * Checks a URL that the token is sent to: https, except on this machine, and without credentials or a query, which would
 * be shown with the settings. Returns it without a trailing slash. `origin` is undefined for one that was just typed.
 */
export function checkUrl(text: string, origin?: string): string {
  const why = origin && `it comes from the ${origin}`;
  if (!URL.canParse(text)) throw new UsageError(`"${text}" is not a URL: expected https://HOST`, { why });
  // Logs are read from the same address over WebSockets and over HTTP.
  const url = new URL(text.replace(/^ws(?=s?:)/i, 'http'));
  if (url.username || url.password || url.search || url.hash) {
    const message = `the URL of ${url.host} must not contain credentials, a query or a fragment`;
    throw new UsageError(message, { why, fix: `use ${url.origin}` });
  }
  if (isSecure(url)) return url.href.replace(/\/$/, '');
  const message = `refusing to send the token to ${url.origin}: it is not https`;
  throw new UsageError(message, { why, fix: `use https://${url.host}` });
}

/** Handles an invalid setting. If it does not throw, the setting is ignored, as in `gantry doctor`. */
export type OnInvalidSetting = (error: GantryError) => void;

export function throwInvalid(error: GantryError): never {
  throw error;
}

/** A value that passes its check; undefined, if that is accepted, for one that does not. */
export function checked(
  value: string | undefined,
  check: (value: string) => string,
  onInvalid: OnInvalidSetting,
): string | undefined {
  try {
    return value && check(value);
  } catch (error) {
    onInvalid(error as GantryError);
    return undefined;
  }
}

export function checkProjectId(value: string): string {
  if (/^(dev-)?p-[\w-]+$/.test(value)) return value;
  throw new UsageError(`invalid project id "${value}"`, {
    why: 'project ids look like p-12345678',
    fix: /^(["'`]).*\1$/.test(value) ? 'remove the quotes around the project id' : gantryCommand`projects list`,
  });
}

/** The platform's region where none is given (spec 4.11). */
export const defaultRegion = 'us-east-1';

/** Whether a word looks like the name of a region: `us-east-1`, `us-central1`, `global`. */
export function looksLikeRegion(word: string): boolean {
  return /^(global|[a-z]{2}-[a-z]+-?\d)$/.test(word);
}

/** The platform may have regions that are not documented, but they are named like the others. That of a profile was checked. */
export function checkRegionName(word: string, origin?: string): string {
  if (looksLikeRegion(word) || origin === 'profile') return word;
  const source = origin === undefined || origin === 'flag' ? '' : `it comes from the ${origin}; `;
  throw new UsageError(`unknown region "${word}"`, {
    why: `${source}regions look like ${defaultRegion}`,
    corrected: { typed: word, meant: defaultRegion, isExample: true },
  });
}

/** Such as `default:/.gantry`: a folder below the root. `origin` is undefined for one that was just typed. */
export function checkTeamState(text: string, origin?: string): string {
  const isFolder = /^(?:[A-Za-z][\w.-]+)?:(?:\/[^/\s]+)+\/?$/.test(text) && !/\/\.{1,2}(\/|$)/.test(text);
  if (isFolder || text === 'off') return text;
  const source = origin === undefined ? '' : `it comes from the ${origin}; `;
  throw new UsageError(`invalid team state "${text}"`, {
    why: `${source}expected a folder on a volume, or off`,
    fix: 'use default:/.gantry',
  });
}
