import { gantryCommand } from '../../kernel/command-line.ts';
import { type GantryError, UsageError } from '../../kernel/errors.ts';
import { isSecure } from '../contract/address.ts';

/**
 * Checks a URL that the token is sent to: https, except on this machine, and without credentials or a query, which would
 * be shown with the settings. Returns it without a trailing slash. `origin` is undefined for one that was just typed.
 */
export function checkUrl(text: string, origin: string | undefined, onInvalid: OnInvalidSetting = throwInvalid): string {
  const refuse = (message: string, fix?: string) => {
    const why = origin === undefined ? undefined : `it comes from the ${origin}`;
    onInvalid(new UsageError(message, { why, fix }));
    return '';
  };
  if (!URL.canParse(text)) return refuse(`"${text}" is not a URL: expected https://HOST`);
  // Logs are read from the same address over WebSockets and over HTTP.
  const url = new URL(text.replace(/^ws(?=s?:)/i, 'http'));
  if (url.username || url.password || url.search || url.hash)
    return refuse(`the URL of ${url.host} must not contain credentials, a query or a fragment`, `use ${url.origin}`);
  if (!isSecure(url))
    return refuse(`refusing to send the token to ${url.origin}: it is not https`, `use https://${url.host}`);
  return url.href.replace(/\/$/, '');
}

/** Handles an invalid setting. If it does not throw, the setting is ignored, as in `gantry doctor`. */
export type OnInvalidSetting = (error: GantryError) => void;

export function throwInvalid(error: GantryError): never {
  throw error;
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

/** Such as `default:/.gantry`: a folder below the root. `origin` is undefined for one that was just typed. */
export function teamStateProblem(text: string, origin?: string): UsageError | undefined {
  const isFolder = /^(?:[A-Za-z][\w.-]+)?:(?:\/[^/\s]+)+\/?$/.test(text) && !/\/\.{1,2}(\/|$)/.test(text);
  if (isFolder || text === 'off') return undefined;
  const source = origin === undefined ? '' : `it comes from the ${origin}; `;
  return new UsageError(`invalid team state "${text}"`, {
    why: `${source}expected a folder on a volume, or off`,
    fix: 'use default:/.gantry',
  });
}
