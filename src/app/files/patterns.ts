/**
 * Includes are anchored at the app folder. Excludes without a slash match a name at any depth, as in `.gitignore`;
 * excludes with a slash are anchored. Patterns that cannot match are reported.
 */

import { isAbsolute } from 'node:path';
import type { Problem } from '../../kernel/errors.ts';
import { words } from '../../kernel/words.ts';
import { compileGlob, compileNames, type Glob } from './glob.ts';

export interface Include {
  text: string;
  everything: boolean;
  matches(path: string): boolean;
  reaches(folder: string): boolean;
  /** Whether the pattern contains this name: `node_modules/**` does, `**` does not. */
  names(name: string): boolean;
}

export interface Exclude {
  text: string;
  matches(path: string, name: string, isFolder: boolean): boolean;
}

export interface Patterns<T> {
  patterns: T[];
  problems: Problem[];
}

export const parseIncludes = (texts: readonly string[]): Patterns<Include> => parse('include', texts, parseInclude);
export const parseExcludes = (texts: readonly string[]): Patterns<Exclude> => parse('exclude', texts, parseExclude);

/** Not sent unless an include pattern names it: version control, installed packages, caches, editor files, gantry's own. */
export const isExcludedByDefault = compileNames(
  words(
    '.git .hg .svn node_modules .venv venv virtualenv .direnv',
    '__pycache__ .pytest_cache .mypy_cache .ruff_cache .ipynb_checkpoints .tox .nox',
    '.DS_Store Thumbs.db desktop.ini .idea .vscode *.swp *.swo *~',
    '.gantry gantry-plan.json gantry-deploy.env',
  ),
);

/** A folder that contains one of these is a virtual environment. */
export const virtualEnvironmentMarkers: readonly string[] = ['pyvenv.cfg', 'conda-meta'];

/** Whether the patterns send a file in the app folder. */
export function isSelected(path: string, include: readonly string[], exclude: readonly string[]): boolean {
  if (path.startsWith('../') || isAbsolute(path)) return false;
  return !exclusionOf(path, exclude) && parseIncludes(include).patterns.some((each) => each.matches(path));
}

/** The first part of a path that is not sent; without a pattern, by its name. */
export function exclusionOf(path: string, exclude: readonly string[]): { part: string; by?: string } | undefined {
  const { patterns } = parseExcludes(exclude);
  const names = path.split('/');
  for (const [index, name] of names.entries()) {
    const part = names.slice(0, index + 1).join('/');
    const pattern = patterns.find((each) => each.matches(part, name, index < names.length - 1));
    if (pattern) return { part, by: pattern.text };
    if (isExcludedByDefault(name)) return { part };
  }
  return undefined;
}

/** The line that excludes more paths than the present patterns: a fix must not replace those. */
export function excludeLine(patterns: readonly string[], paths: readonly string[]): string {
  const added = paths.map((path) => `./${path.replace(/[\\*?[\]{}]/g, '\\$&')}`);
  return `exclude = [${[...patterns, ...added].map((pattern) => JSON.stringify(pattern)).join(', ')}]`;
}

type PatternKind = 'include' | 'exclude';

function parse<T>(kind: PatternKind, texts: readonly string[], make: (text: string) => T | undefined): Patterns<T> {
  const compiled: Patterns<T> = { patterns: [], problems: [] };
  for (const text of texts.map((each) => each.trim()).filter(Boolean)) {
    const mistake = mistakes.find(({ pattern }) => pattern.test(text));
    const pattern = mistake && !mistake.appliesIn?.includes(kind) ? undefined : make(text);
    if (pattern) compiled.patterns.push(pattern);
    if (mistake || !pattern)
      compiled.problems.push(warning(kind, text, pattern !== undefined, mistake ?? invalidPattern));
  }
  return compiled;
}

interface Mistake {
  pattern: RegExp;
  why: string;
  fix(text: string): string;
  /** Lists in which the pattern still applies: dropping an exclude could send files that must not be sent. */
  appliesIn?: PatternKind[];
}

const mistakes: Mistake[] = [
  {
    pattern: /^!/,
    why: 'negation is not supported; for a name that starts with "!", write "\\!"',
    fix: (text) => `remove it, or move "${text.slice(1)}" to the other list`,
  },
  {
    pattern: /^(~[/\\]|[A-Za-z]:[/\\]|\\\\)/,
    why: 'patterns are relative to the app folder, and files outside of it are not sent',
    fix: () => 'use a path relative to the folder of cerebrium.toml',
  },
  {
    pattern: /^\//,
    why: 'patterns are relative to the app folder',
    fix: (text) => `write "./${text.replace(/^\/+/, '')}"`,
    appliesIn: ['exclude'],
  },
  {
    pattern: /(^|\/)\.\.(\/|$)/,
    why: 'files outside of the app folder are not sent',
    fix: () => 'use a path relative to the folder of cerebrium.toml, without ".."',
  },
  {
    pattern: /\\[\p{L}\p{N}_.]/u,
    why: 'patterns use "/" on every system; "\\" escapes the next character',
    fix: (text) => `write "${text.replaceAll('\\', '/')}"`,
  },
];

const invalidPattern: Omit<Mistake, 'pattern'> = {
  why: 'invalid pattern: "[" without "]", trailing "\\", or too many alternatives',
  fix: (text) =>
    text.includes('[')
      ? `write "${text.replace(/\\?\[/, '\\[')}" if the bracket is part of the name`
      : 'correct or remove it',
};

const warning = (kind: PatternKind, text: string, used: boolean, mistake: Omit<Mistake, 'pattern'>): Problem => ({
  severity: 'warning',
  message: used ? `${kind} pattern "${text}" starts with "/"` : `${kind} pattern "${text}" is ignored`,
  why: mistake.why,
  fix: mistake.fix(text),
});

/** `./a//b/./c` becomes `a/b/c`. A trailing slash, which means a folder, stays. */
const normalize = (text: string) =>
  text
    .replace(/\/(\.?\/)+/g, '/')
    .replace(/^(\.?\/)+/, '')
    .replace(/(^|\/)\.$/, '$1');

const matchesAll = new Set(['', '*', '**', '**/*']);

function parseInclude(text: string): Include | undefined {
  const pattern = normalize(text);
  if (matchesAll.has(pattern)) {
    return { text, everything: true, matches: () => true, reaches: () => true, names: () => false };
  }

  const folder = pattern.endsWith('/');
  const path = folder ? pattern.slice(0, -1) : pattern;
  const below = compileGlob(`${path}/**/*`);
  const itself = compileGlob(path);
  if (!below || !itself) return undefined;

  // A glob matches files. A plain name matches a file, or everything in a folder.
  const isGlob = /[*?[]/.test(path);
  const globs: Glob[] = folder ? [below] : isGlob ? [itself] : [itself, below];
  const literalNames = path.split('/').filter((part) => !/[*?[]/.test(part) || isExcludedByDefault(part));
  const isNamed = compileNames(literalNames);
  return {
    text,
    everything: false,
    matches: (candidate) => globs.some((each) => each.matches(candidate)),
    reaches: (candidate) => globs.some((each) => each.reaches(candidate)),
    names: isNamed,
  };
}

function parseExclude(text: string): Exclude | undefined {
  const normalized = normalize(text) || '**';
  const onlyFolders = normalized.endsWith('/');
  const compiled = compileGlob(onlyFolders ? normalized.slice(0, -1) : normalized);
  if (!compiled) return undefined;

  const anchored = text.slice(0, -1).includes('/') || normalized === '**';
  return {
    text,
    matches: (path, name, isFolder) => (isFolder || !onlyFolders) && compiled.matches(anchored ? path : name),
  };
}
