import { posix } from 'node:path';
import { isBelowOrSame } from '../../app/docker-image.ts';
import { isFromFile, pathIn, unknown } from '../../app/python/facts.ts';
import { closestName } from '../../kernel/closest-name.ts';
import { fits } from '../groups.ts';
import type { ModuleGraph } from './modules.ts';
import { type Opened, pathsOpened } from './opened-paths.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** Files that the code opens by a name that is known: those that are not sent, and those that are not there. */
export function* lookAtOpened(shipment: Shipment, graph: ModuleGraph): Generator<SeenCause> {
  const said = new Set<string>();
  for (const each of pathsOpened(shipment, graph)) {
    const found = lookAt(each, shipment);
    const key = `${found?.cause} ${found?.captured?.path}`;
    if (!found || said.has(key)) continue;
    said.add(key);
    yield { at: { file: each.file, line: each.line }, ...found };
  }
}

const notFound = (path: string): SeenCause => ({ cause: 'file-not-found', captured: { path } });

function lookAt(opened: Opened, shipment: Shipment): SeenCause | undefined {
  const { value, isRead } = opened;
  const path = pathIn(value.replace(/^\/cortex\//, ''));
  if (path.startsWith('/')) return shipment.isDocker ? inImage(opened, shipment) : undefined;
  if (path === '' || /(?:^|\/)\.\w/.test(path)) return undefined;
  if (path.startsWith('..')) return isRead && !path.includes(unknown) ? outside(path, opened) : undefined;
  if (path.includes(unknown)) return undefined;
  return (opened.isOfStart ? besideCode(path, opened, shipment) : undefined) ?? plainPath(path, opened, shipment);
}

/** A plain path is looked for where the app starts; some libraries look beside the file. */
function plainPath(path: string, opened: Opened, shipment: Shipment): SeenCause | undefined {
  const beside = posix.join(posix.dirname(opened.file), path);
  const places = isFromFile(opened.value) || !opened.isRead ? [path] : [path, beside];
  const sent = places.find((each) => shipment.sent.has(each));
  if (sent !== undefined) return uncopied(sent, opened, shipment);
  const folder = places.find((each) => shipment.hasFolder(each));
  if (folder !== undefined) return opened.isRead ? uncopied(folder, opened, shipment) : undefined;
  const there = places.find((each) => shipment.exists(each));
  return there === undefined ? notThere(path, opened, shipment) : excluded(there, opened, shipment);
}

/** What is beside the code or at the top of the app, where the app starts in another folder. */
function besideCode(path: string, { file }: Opened, shipment: Shipment): SeenCause | undefined {
  const beside = posix.join(posix.dirname(file), path);
  const image = [...shipment.inImage()];
  const [start = '', ...others] = new Set(shipment.servers().map(({ cwd }) => cwd));
  const wanted = posix.resolve(start, path);
  const places = [
    ...image.map(([place]) => place),
    ...(shipment.dockerfile()?.stage.others ?? []).map((each) => each.path),
  ];
  const [there] = image.find(([, own]) => isBelowOrSame(own, path) || isBelowOrSame(own, beside)) ?? [];
  const isThere = places.some((place) => isBelowOrSame(place, wanted) || isBelowOrSame(wanted, place));
  const isKnown = there !== undefined && start !== '' && others.length === 0;
  if (!isKnown || isThere || isBuilt(path, shipment)) return undefined;
  return {
    ...notFound(path),
    title: `${file} opens ${path} in ${start}, where the app starts, and it is not there`,
    why: `the image has ${there}`,
    fix: 'open it by a path from __file__, or by its path from there',
  };
}

/** A file that is sent, and that nothing brings into the image. */
function uncopied(path: string, { isRead }: Opened, shipment: Shipment): SeenCause | undefined {
  const { path: file, image, stage } = shipment.dockerfile() ?? {};
  const isMeant =
    isRead ||
    (dataEnds.test(path) && !/^(?:README\.md|pyproject\.toml|package\.json|requirements\S*\.txt)$/.test(path));
  if (
    !stage ||
    !image ||
    !isMeant ||
    [...stage.files.values()].some((each) => isBelowOrSame(each, path)) ||
    isBuilt(path, shipment)
  )
    return undefined;
  const full = posix.resolve(stage.workdir, path);
  if (stage.others.some((each) => isBelowOrSame(full, each.path))) return undefined;
  return {
    ...notFound(path),
    title: `${path} is not in the image: ${file} does not copy it`,
    fix: `COPY ${path} in ${file}`,
  };
}

/** Whether a text is surely a file name: `data.json`, not `os.path`. */
const isFile = (value: string) =>
  /\.[A-Za-z]\w{0,11}$/.test(value) &&
  !/\s|[<>{}"'`;,|]|^\.+\w*$/.test(value) &&
  (value.includes('/') || dataEnds.test(value));
const dataEnds =
  /\.(?:json|jsonl|ya?ml|csv|tsv|txt|toml|ini|cfg|xml|html?|md|sql|db|sqlite|pkl|joblib|npy|npz|pth?|onnx|bin|ckpt|safetensors|gguf|model|ubj|h5|parquet|gz|zip|ttf|otf|png|jpe?g|wav|mp3|pem|crt|proto|tflite)$/;

const outside = (path: string, { file }: Opened): SeenCause => ({
  ...notFound(path),
  title: `${file} opens ${path}, which is outside of the app folder`,
  fix: 'put it into the app folder: only that is sent',
});

/** Folders that are filled when the app runs. */
const isOfRun = /^\/(?:(?:global-)?persistent-storage|dev|media|mnt|proc|run|sys|tmp)\//;

/** A path of an image that is built from a Dockerfile. */
function inImage(opened: Opened, shipment: Shipment): SeenCause | undefined {
  const { value } = opened;
  const docker = shipment.dockerfile();
  if (!docker || isOfRun.test(value) || value.includes(unknown) || isInStage(value, docker.stage)) return undefined;
  const name = posix.basename(value);
  const same = [...docker.stage.files.keys()].find((each) => posix.basename(each) === name);
  const stages = docker.image.stages.flatMap(({ commands }) => commands.map(({ words }) => words.join(' ')));
  if (!isMeant(opened, same, docker.stage.workdir, shipment) || stages.some((each) => each.includes(name)))
    return undefined;
  return {
    ...notFound(value),
    ...(same
      ? { why: `the image has ${same}`, fix: `open ${same}` }
      : { why: `${docker.path} copies nothing to it`, fix: `copy it in ${docker.path}` }),
  };
}

/** Whether it is surely a file that a Dockerfile has to bring. */
function isMeant({ value, isRead }: Opened, same: string | undefined, workdir: string, { sent }: Shipment): boolean {
  if (same !== undefined || sent.has(value.slice(1))) return isRead || isFile(value);
  return isRead && workdir !== '/' && value.startsWith(`${workdir}/`);
}

function isInStage(
  value: string,
  { files, others }: NonNullable<ReturnType<Shipment['dockerfile']>>['stage'],
): boolean {
  const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
  return [...files.keys()].some((path) => isBelow(path, value)) || others.some((each) => isBelow(value, each.path));
}

function excluded(path: string, opened: Opened, shipment: Shipment): SeenCause | undefined {
  const { file, line, isRead, value } = opened;
  const isFolder = shipment.isFolder(path);
  const isEmpty = isFolder && shipment.list(path).length === 0;
  if (isEmpty || !(isRead || namesFile(path, value))) return undefined;
  const { title, fix, setting } = shipment.reasonOf(path);
  return {
    cause: 'file-excluded',
    captured: { path },
    at: { setting },
    title,
    why: `${file}:${line} ${isRead ? 'opens' : 'names'} it`,
    fix,
  };
}

const namesFile = (path: string, value: string) => !path.endsWith('.py') && (isFile(path) || isFromFile(value));

const isName = (path: string, isRead: boolean) =>
  !/[*?[]/.test(path) && (isFile(path) || (isRead && isPlain.test(path)));

/** Endings of files that are only read. */
const isPlain = /^[\w./-]+\.(?:css|js|tpl|tmpl|j2|jinja2?|sh|conf|dat|data|lst|geojson|graphql|prompt|vocab|model)$/;

/** Weights and settings that ultralytics fetches, or has, by their names. */
const isFetched =
  /^(?:yolo(?:v?\d+|e-\d+|_nas_)[a-z]{0,2}\d?(?:-(?:seg|pose|cls|obb|world\w*|oiv7|tiny|spp))*|sam2?(?:\.\d)?_[a-z]|mobile_sam|FastSAM-[a-z]|rtdetr-[a-z])\.(?:pt|ya?ml)$/;

function notThere(path: string, { value, isRead, mayBeMade }: Opened, shipment: Shipment): SeenCause | undefined {
  if (!isName(path, isRead) || isFetched.test(path) || isBuilt(path, shipment)) return undefined;
  const folder = posix.dirname(path);
  const same = shipment.paths.find((each) => each.toLowerCase() === path.toLowerCase());
  if (same !== undefined) return { ...notFound(path), why: `the app has ${same}`, fix: `open ${same}, or rename it` };
  const meant = likeIt(path, shipment);
  if (meant === undefined) {
    // Of a folder that is not there, something else makes it.
    const isSure = isRead && (isFromFile(value) || (!mayBeMade && shipment.list(folder).length > 0));
    return isSure ? { ...notFound(path), fix: `add ${path} to the app` } : undefined;
  }
  if (!isRead && !path.includes('/')) return undefined;
  const fix = `open ${posix.join(folder, meant)}, or rename it`;
  return { ...notFound(path), why: `the folder has ${meant}`, fix };
}

/** What the folder has instead: with nearly the same name, or in a folder of its own, the same ending. */
function likeIt(path: string, shipment: Shipment): string | undefined {
  const { base, name, ext, dir } = posix.parse(path);
  const names = shipment.list(dir);
  const isLike = (each: string) => posix.parse(each).name === name || posix.extname(each) === ext;
  return closestName(base, names) ?? (dir === '' ? undefined : names.find(isLike));
}

/** Whether a command of the build speaks of it, or of its folder. */
export function isBuilt(path: string, shipment: Shipment): boolean {
  const [top = ''] = path.split('/');
  const named = [posix.basename(path), ...(path.includes('/') ? [top] : [])];
  const making = shipment.buildCommands().filter(({ words }) => !fits(/^ch(?:mod|own)$/, words[0]));
  const texts = making.map(({ words }) => {
    const scripts = words.slice(0, 2).flatMap((word) => shipment.fileAt(word) ?? []);
    return [...words, ...scripts.map((file) => shipment.read(file))].join(' ');
  });
  const written = [...(shipment.dockerfile()?.stage.written.keys() ?? [])];
  return [...texts, ...written].some((text) => named.some((each) => text.includes(each)));
}
