import { join } from 'node:path';
import { type ConfigOptions, checkAppConfig } from '../../src/app/config.ts';
import type { Problem } from '../../src/kernel/errors.ts';
import { newFolder } from '../support/files.ts';

/** Checks a config file's text, beside a `main.py` unless other files are given. */
export function check(text: string, files: Record<string, string> = { 'main.py': '' }, options: ConfigOptions = {}) {
  const root = newFolder({ 'cerebrium.toml': text, ...files });
  return checkAppConfig(join(root, 'cerebrium.toml'), { shownAs: 'cerebrium.toml', ...options });
}

/** A problem as one line: `error 2:8 invalid app name "My App" -> name = "my-app"`. */
export function line({ severity, location, message, fix }: Problem): string {
  const at = location ? ` ${location.line}:${location.column}` : '';
  return `${severity}${at} ${message}${fix === undefined ? '' : ` -> ${fix}`}`;
}

/** Problems as lines, without the warning that every short file without `disable_auth` has. */
export function lines(problems: readonly Problem[]): string[] {
  return problems.filter(({ message }) => !message.startsWith('this app is public')).map(line);
}

/** A problem as an editor would underline it. */
export function underlined({ location }: Problem): string {
  if (!location) return '';
  return [...location.text].slice(location.column - 1, location.column - 1 + location.length).join('');
}
