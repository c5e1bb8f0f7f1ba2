import { posix } from 'node:path';
import type { Stage } from '../../app/docker-image.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** How a language names another file of the app, and which files may be meant: one that ends in / is a folder. */
interface Language {
  files: RegExp;
  taken: RegExp;
  meant: (path: string, file: string) => string[];
}

const ends = ['', '.js', '.ts', '.mjs', '.cjs', '.tsx', '.jsx', '.json', '/index.js', '/index.ts', '/index.tsx'];

const languages: readonly Language[] = [
  {
    files: /\.[cm]?[jt]sx?$/,
    taken: /^(?!\s*(?:\/\/|\*)).*?(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\(\s*)["'](\.{1,2}\/[^"'\n]+)["']/gm,
    // TypeScript names the file that it will make.
    meant: (path) => [
      ...ends.map((end) => path + end),
      path.replace(/\.jsx?$/, '.ts'),
      path.replace(/\.jsx?$/, '.tsx'),
    ],
  },
  {
    files: /\.rs$/,
    taken: /^\s*(?:pub(?:\([\w: ]+\))?\s+)?mod\s+(\w+);/gm,
    meant: (name, file) => {
      const stem = posix.basename(file, '.rs');
      const folder = /^(?:main|lib|mod)$/.test(stem) ? '' : `${stem}/`;
      return [`${folder}${name}.rs`, `${folder}${name}/mod.rs`, `${name}.rs`];
    },
  },
  { files: /\.rs$/, taken: /include_(?:str|bytes)!\(\s*"([^"]+)"\s*\)/g, meant: (path) => [path] },
  {
    files: /\.php$/,
    taken: /(?:require|include)(?:_once)?\s*\(?\s*__DIR__\s*\.\s*['"]\/([^'"]+)['"]/g,
    meant: (path) => [path],
  },
  { files: /\.rb$/, taken: /^\s*require_relative\s+['"]([^'"]+)['"]/gm, meant: (path) => [path, `${path}.rb`] },
];

/** What a build or an installation makes is not there yet. */
const made =
  /(?:^|\/)(?:node_modules|vendor|target|dist|build|out|generated|tests?|__tests__)\/|\.(?:test|spec|d)\.|\$|\?/;

/** Files that the sources of other languages name, and that are not sent, or not copied where they are needed. */
export function* lookAtSources(shipment: Shipment): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  for (const stage of docker?.image.stages ?? [])
    for (const [place, file] of stage.files)
      for (const taken of docker ? takenBy(shipment, file) : [])
        yield* missing(shipment, docker?.path ?? '', stage, { ...taken, place });
}

function takenBy(shipment: Shipment, file: string): Omit<Taken, 'place'>[] {
  const known = made.test(file) ? [] : languages.filter(({ files }) => files.test(file));
  const text = known.length > 0 ? (shipment.text(file) ?? '') : '';
  return known.flatMap(({ taken, meant }) =>
    [...text.matchAll(taken)].flatMap(({ 0: whole, 1: path = '', index }) => {
      const line = text.slice(0, index + whole.length).split('\n').length;
      return made.test(path) ? [] : [{ file, line, path, meant: meant(path, file) }];
    }),
  );
}

interface Taken {
  place: string;
  file: string;
  line: number;
  path: string;
  meant: string[];
}

function* missing(shipment: Shipment, dockerfile: string, stage: Stage, taken: Taken): Generator<SeenCause> {
  const { place, file, line, path, meant } = taken;
  const inImage = meant.map((each) => posix.join(posix.dirname(place), each));
  const isOther = inImage.some((each) => stage.others.some((other) => each === other || each.startsWith(`${other}/`)));
  if (isOther || inImage.some((each) => stage.files.has(each))) return;
  const own = meant.map((each) => posix.join(posix.dirname(file), each));
  const sent = own.find((each) => shipment.sent.has(each));
  const there = own.find((each) => shipment.exists(each) && !shipment.isFolder(each));
  const found = { severity: 'warning', captured: { path: sent ?? there ?? path }, at: { file, line } } as const;
  if (sent !== undefined)
    yield {
      ...found,
      cause: 'file-not-found',
      title: `${file} needs ${sent}, which the Dockerfile does not copy beside it`,
      fix: `COPY ${posix.dirname(sent) === '.' ? sent : posix.dirname(sent)} in ${dockerfile}`,
    };
  else if (there !== undefined) {
    const { why, fix } = shipment.reasonOf(there);
    yield { ...found, cause: 'file-excluded', title: `${there} is in the app folder, but is not sent: ${why}`, fix };
  } else
    yield {
      ...found,
      cause: 'file-not-found',
      title: `${file} needs ${path}, which is not in the app`,
      fix: 'add it, or correct the path: Linux tells capitals from small letters',
    };
}
