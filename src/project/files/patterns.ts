/**
 * What `include` and `exclude` in `cerebrium.toml` mean. The keys are the platform's, the rules are gantry's.
 *
 * An include is anchored at the project's root. An exclude without a slash is a name at any depth, as in a
 * `.gitignore`; one with a slash is anchored. A pattern that cannot work is reported, never silently dropped.
 */
import type { Problem } from '../../errors.ts';
import { compileGlob, compileNames, type Glob } from './glob.ts';

export interface Include {
  /** As the user wrote it. */
  text: string;
  everything: boolean;
  matches(path: string): boolean;
  /** Whether something below this folder could match. */
  reaches(folder: string): boolean;
  /** Whether the pattern spells out this name (`node_modules/**` does, `**` does not). */
  names(name: string): boolean;
}

export interface Exclude {
  text: string;
  /** `path` is relative to the root, `name` its last part. */
  matches(path: string, name: string, isFolder: boolean): boolean;
}

export interface Patterns<T> {
  patterns: T[];
  problems: Problem[];
}

export const parseIncludes = (texts: readonly string[]): Patterns<Include> => read('include', texts, readInclude);
export const parseExcludes = (texts: readonly string[]): Patterns<Exclude> => read('exclude', texts, readExclude);

/** What nobody wants to send, unless an include pattern names it: version control, installed code, caches, leftovers. */
export const isExcludedByDefault = compileNames([
  ...['.git', '.hg', '.svn', 'node_modules', '.venv', 'venv', 'virtualenv', '.direnv'],
  ...['__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.ipynb_checkpoints', '.tox', '.nox'],
  ...['.DS_Store', 'Thumbs.db', 'desktop.ini', '.idea', '.vscode', '*.swp', '*.swo', '*~'],
]);

/** A folder with one of these in it is a virtual environment, whatever it is called. */
export const virtualEnvironmentMarkers: readonly string[] = ['pyvenv.cfg', 'conda-meta'];

type Kind = 'include' | 'exclude';

function read<T>(kind: Kind, texts: readonly string[], make: (text: string) => T | undefined): Patterns<T> {
  const found: Patterns<T> = { patterns: [], problems: [] };
  for (const text of texts.map((each) => each.trim()).filter(Boolean)) {
    const mistake = mistakes.find(({ made }) => made.test(text));
    const pattern = mistake && !mistake.usable?.includes(kind) ? undefined : make(text);
    if (pattern) found.patterns.push(pattern);
    if (mistake || !pattern) found.problems.push(warning(kind, text, pattern !== undefined, mistake ?? unreadable));
  }
  return found;
}

interface Mistake {
  made: RegExp;
  why: string;
  instead(text: string): string;
  /** Where the meaning is plain enough to go on with it: dropping an exclude could send what was to stay here. */
  usable?: Kind[];
}

const mistakes: Mistake[] = [
  {
    made: /^!/,
    why: 'there is no negation; a file whose name begins with "!" is written "\\!"',
    instead: (text) => `remove it, or move "${text.slice(1)}" to the other list`,
  },
  {
    made: /^(~[/\\]|[A-Za-z]:[/\\]|\\\\)/,
    why: 'patterns are relative to the folder of cerebrium.toml, and nothing outside it is sent',
    instead: () => 'write the path as seen from the folder of cerebrium.toml',
  },
  {
    made: /^\//,
    why: 'patterns are relative to the folder of cerebrium.toml',
    instead: (text) => `write "./${text.replace(/^\/+/, '')}"`,
    usable: ['exclude'],
  },
  {
    made: /(^|\/)\.\.(\/|$)/,
    why: 'nothing outside the folder of cerebrium.toml is sent',
    instead: () => 'write the path as seen from the folder of cerebrium.toml, without ".."',
  },
  {
    made: /\\[\p{L}\p{N}_.]/u,
    why: 'patterns use "/" on every system; "\\" takes the next character as it is',
    instead: (text) => `write "${text.replaceAll('\\', '/')}"`,
  },
];

const unreadable: Omit<Mistake, 'made'> = {
  why: 'it cannot be read: a "[" without its "]", a "\\" at the end, or too many alternatives',
  instead: (text) =>
    text.includes('[')
      ? `write "${text.replace(/\\?\[/, '\\[')}" if the bracket is part of the name`
      : 'correct or remove it',
};

const warning = (kind: Kind, text: string, used: boolean, mistake: Omit<Mistake, 'made'>): Problem => ({
  severity: 'warning',
  message: used ? `${kind} pattern "${text}" begins with "/"` : `${kind} pattern "${text}" is ignored`,
  why: mistake.why,
  fix: mistake.instead(text),
});

/** `./a//b/./c` is `a/b/c`; the slash at the end, which asks for a folder, stays. */
const tidy = (text: string) =>
  text
    .replace(/\/(\.?\/)+/g, '/')
    .replace(/^(\.?\/)+/, '')
    .replace(/(^|\/)\.$/, '$1');

const all = new Set(['', '*', '**', '**/*']);

function readInclude(text: string): Include | undefined {
  const pattern = tidy(text);
  if (all.has(pattern)) {
    return { text, everything: true, matches: () => true, reaches: () => true, names: () => false };
  }

  const folder = pattern.endsWith('/');
  const path = folder ? pattern.slice(0, -1) : pattern;
  const below = compileGlob(`${path}/**/*`);
  const itself = compileGlob(path);
  if (!below || !itself) return undefined;

  // A glob means files. A plain name may be either, and if it is a folder's, all of it is meant.
  const wild = /[*?[]/.test(path);
  const globs: Glob[] = folder ? [below] : wild ? [itself] : [itself, below];
  const spelt = path.split('/').filter((part) => !/[*?[]/.test(part) || isExcludedByDefault(part));
  const isSpelt = compileNames(spelt);
  return {
    text,
    everything: false,
    matches: (candidate) => globs.some((each) => each.matches(candidate)),
    reaches: (candidate) => globs.some((each) => each.reaches(candidate)),
    names: isSpelt,
  };
}

function readExclude(text: string): Exclude | undefined {
  const tidied = tidy(text) || '**';
  const onlyFolders = tidied.endsWith('/');
  const compiled = compileGlob(onlyFolders ? tidied.slice(0, -1) : tidied);
  if (!compiled) return undefined;

  const anchored = text.slice(0, -1).includes('/') || tidied === '**';
  return {
    text,
    matches: (path, name, isFolder) => (isFolder || !onlyFolders) && compiled.matches(anchored ? path : name),
  };
}
