import { posix } from 'node:path';
import { compileGlob } from '../../app/files/glob.ts';
import { lookAtNamedPath, type NamedPath } from './references.ts';
import { withoutComments } from './script-imports.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

interface SourceFacts {
  file: string;
  folder: string;
  shipment: Shipment;
  /** The manifest that the file is below, and its folder. */
  manifest: string;
  root: string;
}

/** What the sources of a language name, by lines that are the same in every style. */
interface Language {
  files: RegExp;
  manifest?: string;
  /** The commands that compile the files; without it, they are run where they are in the last stage. */
  compiles?: RegExp;
  names: RegExp;
  /** What a name stands for in the app folder; undefined for what is not of the app. */
  paths: (name: string, facts: SourceFacts) => string[] | undefined;
  /** Whether `manifest` has to list a name, since the app does not have it itself. */
  listed?: (name: string, facts: SourceFacts) => boolean;
}

const below = ({ folder }: SourceFacts, name: string) => posix.join(folder, name);
const goModule = ({ manifest }: SourceFacts) => /^module\s+(\S+)/m.exec(manifest)?.[1] ?? '';

const languages: readonly Language[] = [
  {
    files: /(?<!_test)\.go$/,
    manifest: 'go.mod',
    compiles: /^go (?:build|install|run)\b/,
    names: /^(?:import\s+|\t)(?:[\w.]+\s+)?"([\w.-]+(?:\/[\w.~-]+)*)"$/gm,
    paths: (name, facts) => {
      const module = goModule(facts);
      return name.startsWith(`${module}/`) ? [posix.join(facts.root, name.slice(module.length + 1))] : undefined;
    },
    listed: (name, { manifest }) => {
      const required = [...manifest.matchAll(/^\s*(?:(?:require|replace|module)\s+)?([\w-]+\.[\w./~-]+)/gm)];
      return !/^[\w-]+\./.test(name) || required.some(([, each]) => `${name}/`.startsWith(`${each}/`));
    },
  },
  {
    files: /(?<!_test)\.go$/,
    manifest: 'go.mod',
    compiles: /^go (?:build|install|run)\b/,
    names: /^\/\/go:embed\s+([^\s"`]+)$/gm,
    paths: (name, facts) => {
      const pattern = below(facts, name.replace(/^all:/, ''));
      const glob = /[*?[]/.test(pattern) ? compileGlob(pattern) : undefined;
      const depth = pattern.split('/').length;
      return [
        facts.shipment.paths.find((path) => glob?.matches(path.split('/').slice(0, depth).join('/'))) ??
          pattern.replace(/[*?]/g, '_'),
      ];
    },
  },
  {
    files: /\.rs$/,
    manifest: 'Cargo.toml',
    compiles: /^cargo build\b/,
    names: /^(?:pub(?:\([\w\s:]+\))?\s+)?mod\s+(\w+);|^(?!\s*\/\/).*\binclude_(?:str|bytes)!\("([^"]+)"\)/gm,
    paths: (name, facts) => {
      const { file, folder } = facts;
      const isRoot = /^(?:main|lib|mod)\.rs$/.test(posix.basename(file)) || /\/bin\/[^/]+$/.test(file);
      const own = isRoot ? folder : file.replace(/\.rs$/, '');
      return name.includes('.')
        ? [below(facts, name)]
        : [posix.join(own, `${name}.rs`), posix.join(own, name, 'mod.rs')];
    },
  },
  {
    files: /\.r[bu]$/,
    names: /^require_relative\s*\(?["']([\w./-]+)["']/gm,
    paths: (name, facts) => [below(facts, name), below(facts, `${name}.rb`)],
  },
  {
    files: /\.php$/,
    names: /^(?:require|include)(?:_once)?\s*\(?\s*__DIR__\s*\.\s*["']\/([\w./-]+)["']/gm,
    paths: (name, facts) => (name.startsWith('vendor/') ? undefined : [below(facts, name)]),
  },
];

/** Folders of what is not compiled with the app. */
const isOther = /(?:^|\/)(?:vendor|target|testdata|tests?|examples)\//;

/** Files and packages that sources name, in languages that are compiled or run in an image of the app. */
export function* lookAtSources(shipment: Shipment): Generator<SeenCause> {
  const stage = shipment.dockerfile()?.stage;
  if (!stage || shipment.sent.has('go.work')) return;
  const commands = shipment.steps();
  for (const language of languages)
    for (const file of shipment.paths.filter((path) => language.files.test(path) && !isOther.test(path))) {
      const { compiles } = language;
      const images = compiles
        ? commands.filter(({ words }) => compiles.test(words.join(' '))).map(({ before }) => before)
        : [stage];
      yield* namedIn(file, language, images, shipment);
    }
}

function* namedIn(
  file: string,
  language: Language,
  images: NamedPath['images'],
  shipment: Shipment,
): Generator<SeenCause> {
  const text = shipment.read(file);
  const { manifest, root } = manifestOf(file, language.manifest, shipment);
  const isPlain = !/^\/\/go:build|^\s*#\[(?:cfg|path)|^#!\[cfg/m.test(text);
  if (!isPlain || manifest === undefined || images.length === 0) return;
  const facts = { file, folder: posix.dirname(file), shipment, manifest, root };
  const plain = language.compiles ? text : withoutComments(text);
  for (const { index, 1: one, 2: name = one ?? '' } of plain.matchAll(language.names)) {
    const line = text.slice(0, index).split('\n').length;
    const paths = language.paths(name, facts);
    if (paths) yield* lookAtNamedPath({ file, line, name, paths, isCertain: true, images }, shipment);
    else if (language.listed?.(name, facts) === false && !mayAdd(shipment)) yield unlisted(name, line, facts);
  }
}

const unlisted = (name: string, line: number, { file, root }: SourceFacts): SeenCause => ({
  cause: 'module-missing',
  severity: 'error',
  at: { file, line },
  title: `${file} imports ${name}, which ${posix.join(root, 'go.mod')} does not require`,
  fix: `go get ${name}`,
});

const mayAdd = (shipment: Shipment) =>
  shipment.hasFolder('vendor') ||
  shipment.steps().some(({ words }) => /^go (?:get|mod (?:tidy|edit)|work)\b/.test(words.join(' ')));

function manifestOf(
  file: string,
  name: string | undefined,
  shipment: Shipment,
): { manifest?: string | undefined; root: string } {
  if (name === undefined) return { manifest: '', root: '.' };
  const root = shipment.paths
    .filter((path) => posix.basename(path) === name)
    .map((path) => posix.dirname(path))
    .toSorted((one, other) => other.length - one.length)
    .find((folder) => folder === '.' || file.startsWith(`${folder}/`));
  return root === undefined ? { root: '.' } : { manifest: shipment.text(posix.join(root, name)), root };
}
