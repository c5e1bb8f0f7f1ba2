import { posix } from 'node:path';
import { closestName } from '../../kernel/closest-name.ts';
import { groupsOf, matchesIn } from '../../kernel/groups.ts';
import { once } from '../../kernel/once.ts';
import { rowsOf } from '../rule.ts';
import type { LookedApp } from './looked-app.ts';
import { isBuilt } from './opened.ts';
import { say, sayUnsent } from './said.ts';
import { candidates, isBeside, packageIn, scriptImports, withoutComments } from './script-imports.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/**
 * The sources of a language, how they name a file beside them, and the paths where it may be; how they name a package, the
 * files that list it, and what adds one. What `-` stands for, scripts of Node say in a way of their own.
 */
const languages = once(() =>
  rowsOf`
(?<!\.d)\.[cm]?[jt]sx?$ | - | - | - | package.json | npm install
(?<!_test)\.go$ | - | - | ^(?:import\s+|\t)(?:[\w.]+\s+)?"([\w-]+\.[\w.-]+/[^"\s]+)"$ | go.mod | go get
\.rs$ | ^(?:pub(?:\([\w: ]+\))?\s+)?mod\s+(\w+); | @.rs @/mod.rs $/@.rs $/@/mod.rs | ^(?:pub\s+)?use\s+(?:::)?(?!std|core|alloc|crate|self|super)([a-z]\w*):: | Cargo.toml | cargo add
\.r[bu]$ | ^\s*require_relative\s*\(?\s*["']([\w./-]+)["'] | @.rb @
\.php$ | ^\s*(?:require|include)(?:_once)?\s*\(?\s*__DIR__\s*\.\s*["']/((?!.*vendor/)[\w./-]+)["'] | @
`.map((row) => {
    const [files = '', beside = '-', places = '', packages = '-', manifest = '', adds] = row.split(' | ');
    return { files: new RegExp(files), beside, places: places.split(' '), packages, manifest, adds };
  }),
);

type Language = ReturnType<typeof languages>[number];

/** A name in a source, and the paths where it may be. */
interface Named {
  name: string;
  line: number;
  paths: string[];
}

function named(file: string, text: string, pattern: string, { places }: Language): Named[] {
  const stem = posix.parse(file).name;
  return matchesIn(withoutComments(text), new RegExp(pattern, 'gm')).map(({ match: [, name = ''], line }) => ({
    name,
    line,
    paths: places.map((each) => posix.join(posix.dirname(file), each.replace('@', name).replace('$', stem))),
  }));
}

const namedByScript = (file: string, text: string): Named[] =>
  scriptImports(text).map(({ name, line }) => ({
    name,
    line,
    paths: candidates(posix.join(posix.dirname(file), name.replace(/\?.*$/, ''))),
  }));

/** What sources say for some systems only, and commands that write sources or lists of packages. */
const isOpen = /^\/\/go:build|^\s*#!?\[(?:cfg|path)/m;
const lists = /^(?:go (?:get|mod (?:tidy|edit)|work)|cargo add|npm (?:i|install) [a-z@])/;
const writes = /generate|codegen|protoc/;

/** What sources of other languages than Python load, in an app that is built from a Dockerfile. */
export function* lookAtSourceImports({ shipment }: LookedApp): Generator<SeenCause> {
  const inImage = new Set(shipment.stages.flatMap(({ files }) => [...files.values()]));
  for (const file of inImage) {
    const language = isBeside(file) ? undefined : languages().find(({ files }) => files.test(file));
    const text = language ? shipment.read(file) : '';
    if (language && !isOpen.test(text)) yield* importsOf(file, text, language, shipment);
  }
}

function* importsOf(file: string, text: string, language: Language, shipment: Shipment): Generator<SeenCause> {
  const { beside, packages } = language;
  const all = beside === '-' ? namedByScript(file, text) : named(file, text, beside, language);
  const local = all.filter(({ name }) => beside !== '-' || name.startsWith('.'));
  yield* filesOf(
    file,
    local,
    shipment.steps().some(({ words }) => writes.test(words.join(' '))),
    shipment,
  );
  if (shipment.hasFolder('vendor') || shipment.builds(lists)) return;
  yield* packagesOf(file, packages === '-' ? all : named(file, text, packages, language), language, shipment);
}

function* packagesOf(file: string, used: readonly Named[], { manifest, adds }: Language, shipment: Shipment) {
  const texts = shipment.paths.filter((path) => posix.basename(path) === manifest).map(shipment.read);
  const isListed = texts.length === 0 ? undefined : listing[manifest];
  for (const { name, line } of isListed ? used : [])
    if (!isListed?.(name, texts.join('\n'), shipment))
      yield say('module-missing unlisted', { module: name, file, manifest, adds }, { at: { file, line } });
}

/** Where commands write sources, only what is nearly the name of another one is missing for sure. */
function* filesOf(file: string, all: readonly Named[], isWritten: boolean, shipment: Shipment): Generator<SeenCause> {
  for (const { name, line, paths } of all) {
    const [path = ''] = paths;
    const isThere = paths.some((each) => shipment.sent.has(each) || shipment.hasFolder(each));
    const unsent = paths.find(shipment.exists);
    const near = nearly(path, shipment);
    if (isThere || isBuilt(path, shipment) || (isWritten && near === undefined)) continue;
    const target =
      unsent === undefined ? say('module-missing own', { module: name, file, near }) : sayUnsent(unsent, shipment);
    yield { ...target, at: { file, line } };
  }
}

function nearly(path: string, { paths }: Shipment): string | undefined {
  const beside = paths.filter((each) => posix.dirname(each) === posix.dirname(path));
  const plain = (each: string) => posix.basename(each).replace(/\.(?:[cm]?[jt]sx?|rb|rs|php)$/, '');
  const meant = closestName(plain(path), beside.map(plain));
  return beside.find((each) => plain(each) === meant);
}

const lockFile = /(?:^|\/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock)$/;

/** Whether the files that list packages have one, or the app has what the name stands for. */
const listing: Readonly<Record<string, (name: string, manifests: string, shipment: Shipment) => boolean>> = {
  'package.json': (whole, manifests, { paths, read }) => {
    const name = packageIn(whole) ?? '';
    const texts = [manifests, ...paths.filter((path) => lockFile.test(path)).map(read)];
    const isOwn = paths.some((path) => `/${path}`.includes(`/${name.split('/')[0]}/`));
    return (
      isOwn || /^[@~]?$/.test(name) || texts.some((text) => text.includes(`${name}"`) || text.includes(`${name}@`))
    );
  },
  'go.mod': (name, manifests, shipment) => {
    const [, goModule = ''] = groupsOf(/^module\s+(\S+)/m, manifests);
    const listed = matchesIn(manifests, /^(?:(?:require|module)\s+|\t)([\w-]+\.\S+)/gm).map(
      ({ match: [, each] }) => each,
    );
    if (name.startsWith(`${goModule}/`)) return shipment.hasFolder(name.slice(goModule.length + 1));
    return listed.some((each) => `${name}/`.startsWith(`${each}/`));
  },
  'Cargo.toml': (name, manifests, { paths, read }) => {
    const crate = name.replaceAll('_', '[-_]');
    const inList = new RegExp(String.raw`^\W*${crate}\W*(?:=|\.\w)|dependencies\.${crate}\]|"${crate}"`, 'm');
    const inSource = new RegExp(String.raw`\b(?:mod|crate) ${name}\b|::\{?[^;]*\b${name}\b`);
    return inList.test(manifests) || paths.some((path) => path.endsWith('.rs') && inSource.test(read(path)));
  },
};
