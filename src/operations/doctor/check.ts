import type { ExitName, GantryError } from '../../errors.ts';

/** One thing that was looked at. */
export interface Check {
  check: string;
  status: 'ok' | 'warning' | 'failed';
  message: string;
  /** What to do about it. */
  fix?: string;
  /** Of a failure: the name of the exit code it stands for. */
  code?: ExitName;
}

export function okCheck(check: string, message: string): Check {
  return { check, status: 'ok', message };
}

export function warningCheck(check: string, message: string, fix?: string): Check {
  return { check, status: 'warning', message, ...(fix && { fix }) };
}

export function failedCheck(check: string, code: ExitName, message: string, fix?: string): Check {
  return { check, status: 'failed', message, ...(fix && { fix }), code };
}

/** What stopped somebody else, as it is said there. */
export function errorCheck(check: string, { exit, message, facts }: GantryError): Check {
  return failedCheck(check, exit, facts.why ? `${message}: ${facts.why}` : message, facts.fix);
}
