import type { TomlValue } from 'smol-toml';
import { gantryCommand, Sentence } from '../../kernel/command-line.ts';
import { isTable, tomlKey } from './format.ts';
import { type ConfigIssue, type TomlPath, warningAt } from './issue.ts';

/** Looks for environment variables and secrets. Their values are never shown. */
export function environmentIssue(at: TomlPath, value: TomlValue): ConfigIssue | undefined {
  const name = String(at.at(-1));
  const isSection = sectionName.test(name) && typeof value === 'object';
  if (!isSection && (isTable(value) || !secretName.test(name))) return undefined;
  const written = isTable(value) ? `[${at.map((part) => tomlKey(String(part))).join('.')}]` : tomlKey(name);
  const names = isSection ? namesIn(value).slice(0, maxNames) : [name];
  const [first = gantryCommand`secrets set NAME`, ...others] = names.map((each) => gantryCommand`secrets set ${each}`);
  return warningAt(at, `${written} is ignored: environment variables are set as secrets`, {
    part: 'key',
    why: 'the platform does not read it here, and everyone with access to the app can read this file',
    fix:
      others.length > 0
        ? new Sentence(['set each as a secret: ', first, ...others.flatMap((command) => [', ', command])])
        : first,
    hidesValue: true,
  });
}

/** Whether a line with this key, below these headers, may hold a secret. */
export function isSecretKey(header: string, key: string): boolean {
  return header.split('.').some((part) => sectionName.test(part)) || sectionName.test(key) || secretName.test(key);
}

const sectionName = /^(envs?|env_?vars?|environments?|environment_?variables?|variables|secrets?)$/i;
const secretName = /passw(or)?d|secret|token$|api_?key|access_?key|private_?key|credentials?$/i;
const maxNames = 5;

/** The names of secrets that the platform takes. Handles tables, and lists of `NAME=value`. */
function namesIn(value: TomlValue): string[] {
  const names = Array.isArray(value)
    ? value.map((entry) => (typeof entry === 'string' ? (entry.split('=')[0] ?? '') : ''))
    : Object.keys(value);
  return names.filter((name) => /^[A-Za-z_][\w.-]{0,252}$/.test(name));
}
