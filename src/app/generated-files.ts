/** The platform installs from the generated file; a Dockerfile installs what it copies, so there the user's wins. */
import { relative, resolve, sep } from 'node:path';
import { defaultExclude, defaultInclude } from './collect.ts';
import { dependencyFiles } from './dependencies.ts';
import { contextPath, readImage, sourceFiles } from './docker-image.ts';
import type { FileEntry } from './files/entry.ts';
import { isSelected } from './files/patterns.ts';
import { readTextIfPresent } from './read-text.ts';
import type { Values } from './schema.ts';
import type { FileSettings } from './toml/sections.ts';

export interface GeneratedFileInput extends FileSettings {
  root: string;
  custom?: Values<'runtime.custom'>;
}

export interface GeneratedFile {
  /** Dotted name of the section or key, such as `dependencies.pip`. */
  source: string;
  entry: FileEntry;
  fate: 'sent' | 'replaces-own' | 'own-file-wins' | 'own-file-agrees' | 'unused';
}

/** Skips packages that cannot be written. `collected`: the user's files that are sent; else the patterns tell. */
export function planGeneratedFiles(input: GeneratedFileInput, collected?: ReadonlySet<string>): GeneratedFile[] {
  const { files } = dependencyFiles(input);
  return files.map(({ source, entry }) => {
    const isCollected = collected?.has(entry.path) ?? true;
    return { source, entry, fate: fateOf(entry, isCollected ? readOwnFile(entry, input) : undefined, input) };
  });
}

export const isGeneratedAndSent = ({ fate }: GeneratedFile): boolean => fate === 'sent' || fate === 'replaces-own';

/** `own` is the text of the user's file of this name. */
function fateOf(entry: FileEntry, ownText: string | undefined, input: GeneratedFileInput): GeneratedFile['fate'] {
  const { dockerfile_path: dockerfile } = input.custom ?? {};
  if (dockerfile === undefined) {
    return ownText === undefined || hasSameLines(ownText, contentOf(entry)) ? 'sent' : 'replaces-own';
  }
  if (ownText !== undefined) return hasSameLines(ownText, contentOf(entry)) ? 'own-file-agrees' : 'own-file-wins';
  const instructions = readTextIfPresent(resolve(input.root, dockerfile)) ?? '';
  if (usesFile(instructions, entry.path)) return 'sent';
  // The key names a file that the Dockerfile itself installs, under its own name.
  const named = 'file' in entry.source ? relative(input.root, entry.source.file).replaceAll(sep, '/') : undefined;
  return named !== undefined && usesFile(instructions, named) ? 'own-file-agrees' : 'unused';
}

/** Whether a Dockerfile copies a file by name or with its folder, or copies everything and names it elsewhere. */
function usesFile(dockerfile: string, name: string): boolean {
  const { copies, instructions } = readImage(dockerfile, []);
  const copied = copies.flatMap(({ from, sources }) => (from === undefined ? sources : []));
  const flags = instructions.flatMap(({ keyword, flags: given }) => (keyword === 'RUN' ? given : []));
  const sources = [...copied, ...flags.flatMap(([, value]) => /\b(?:source|src)=([^,\s]+)/.exec(value)?.[1] ?? [])];
  const isAll = (source: string) => ['', '*', '**'].includes(contextPath(source));
  if (sources.some((source) => !isAll(source) && sourceFiles(source, [name]).length > 0)) return true;
  const words = instructions.flatMap(({ rest }) => rest.split(/[\s"',;=&|()]+/));
  return sources.some(isAll) && words.some((word) => `/${word}`.endsWith(`/${name}`));
}

/** The user's file of this name; undefined if there is none or the patterns do not send it. */
function readOwnFile({ path }: FileEntry, { root, deployment }: GeneratedFileInput): string | undefined {
  const { include = defaultInclude, exclude = defaultExclude } = deployment;
  return isSelected(path, include, exclude) ? readTextIfPresent(resolve(root, path)) : undefined;
}

const contentOf = ({ source }: FileEntry): string =>
  'text' in source ? source.text : (readTextIfPresent(source.file) ?? '');

/** Order and comments do not matter. */
function hasSameLines(a: string, b: string): boolean {
  const lines = (text: string) =>
    text
      .split(/\r?\n/)
      .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
      .filter(Boolean)
      .sort()
      .join('\n');
  return lines(a) === lines(b);
}
