import { posix } from 'node:path';
import type { ImageState } from '../../app/docker-image.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** A file or a folder that a source names. */
export interface NamedPath {
  file: string;
  line: number;
  /** As the source writes it. */
  name: string;
  /** What it may stand for, in the app folder. */
  paths: readonly string[];
  /** Whether the file is surely compiled or run. */
  isCertain: boolean;
  /** The images in which it is. */
  images: readonly ImageState[];
}

/** What a source names and what is not there, has another name, is not sent, or is not copied. */
export function* lookAtNamedPath(named: NamedPath, shipment: Shipment): Generator<SeenCause> {
  const { file, line, name, paths, isCertain } = named;
  const [path = ''] = paths;
  const there = paths.find((each) => shipment.sent.has(each) || shipment.hasFolder(each));
  const said = { cause: 'file-not-found', severity: 'error' as const, captured: { path }, at: { file, line } };
  if (there !== undefined) yield* notCopied(named, there, shipment);
  else if (!path.startsWith('..') && !isMade(shipment, named)) {
    const lower = new Set(paths.map((each) => each.toLowerCase()));
    const meant = shipment.paths.find((each) => lower.has(each.toLowerCase()));
    const unsent = paths.find((each) => shipment.exists(each));
    // The disk of the user may not tell letters apart.
    if (meant !== undefined)
      yield {
        ...said,
        title: `${file} names ${name}, and the file is called ${meant}`,
        fix: `write its name as it is: ${meant}`,
      };
    else if (unsent !== undefined)
      yield {
        ...said,
        cause: 'file-excluded',
        ...shipment.reasonOf(unsent),
        title: `${file} names ${name}, which is not sent`,
      };
    else
      yield {
        ...said,
        severity: isCertain ? 'error' : 'warning',
        title: `${file} names ${name}, which is not in the app`,
      };
  }
}

/** What the image does not have where the file that names it is. */
function* notCopied(named: NamedPath, there: string, shipment: Shipment): Generator<SeenCause> {
  const { file, line, name, images } = named;
  for (const image of images) {
    const [wanted] = placesOf(file, there, image);
    if (wanted !== undefined && isLacking(named, there, image, shipment))
      yield {
        cause: 'file-not-found',
        severity: 'error',
        at: { file, line },
        title: `${file} names ${name}, and ${wanted} is not in the image`,
        fix: `COPY ${there} in ${shipment.dockerfile()?.path}`,
      };
  }
}

/** Where a path is in an image, from the places of the file that names it. */
const placesOf = (file: string, path: string, image: ImageState) =>
  [...image.files]
    .filter(([, own]) => own === file)
    .map(([place]) => posix.resolve(posix.dirname(place), posix.relative(posix.dirname(file), path)));

const isLacking = ({ file }: NamedPath, path: string, image: ImageState, shipment: Shipment) =>
  placesOf(file, path, image).every((each) => shipment.lacks(image, each));

const generators =
  /generat|codegen|prisma|protoc|\bbuf\b|wasm|copy|cpx|tailwind|sass|sqlc|templ|^(?:cp|curl|wget|git|make|\S+\.sh)\b/;

/** Whether a command may write it: only where the file is in no image that is known, by the name of its folder. */
const isMade = (shipment: Shipment, named: NamedPath) =>
  named.images.length > 0
    ? named.images.some((image) => named.paths.some((path) => !isLacking(named, path, image, shipment)))
    : /(?:^|\/)(?:dist|build|out|generated|gen|__generated__|node_modules|\.[\w-]+|\+types)(?:\/|$)|\$/.test(
        named.paths[0] ?? '',
      ) || shipment.steps().some(({ words }) => generators.test(words.join(' ')));
