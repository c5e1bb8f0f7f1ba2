import type { Fix } from '../../kernel/command-line.ts';
import type { ExitName, GantryError } from '../../kernel/errors.ts';

export interface Check {
  check: string;
  status: 'ok' | 'warning' | 'failed';
  message: string;
  why?: string | undefined;
  fix?: Fix | undefined;
  code?: ExitName;
}

export function okCheck(check: string, message: string): Check {
  return { check, status: 'ok', message };
}

export function warningCheck(check: string, message: string, fix?: Fix): Check {
  return { check, status: 'warning', message, fix };
}

export function failedCheck(check: string, code: ExitName, message: string, fix?: Fix): Check {
  return { check, status: 'failed', message, fix, code };
}

/** A failed check with the texts of an error. */
export function errorCheck(check: string, { exit, message, facts }: GantryError): Check {
  return { ...failedCheck(check, exit, message, facts.fix), why: facts.why };
}
