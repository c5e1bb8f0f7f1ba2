import { posix } from 'node:path';
import { isBelowOrSame } from '../../app/image-stage.ts';
import { isFromFile, type PythonCall, pathIn, unknown } from '../../app/python/facts.ts';
import { closestName } from '../../kernel/closest-name.ts';
import { fits, groupsOf } from '../../kernel/groups.ts';
import type { LookedApp } from './looked-app.ts';
import { say } from './said.ts';
import { foundInCode } from './script-imports.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';
import { startsProcess } from './system.ts';

/** Files that the code opens by a name that is known: those that are not sent, and those that are not there. */
export function* lookAtOpened(app: LookedApp): Generator<SeenCause> {
  const said = new Set<string>();
  for (const each of pathsOpened(app)) {
    const cause = ofVolume(each, app.shipment) ?? lookAt(each, app.shipment);
    const key = `${cause?.cause} ${cause?.captured?.path}`;
    if (!cause || said.has(key)) continue;
    said.add(key);
    yield { at: { file: each.file, line: each.line }, ...cause };
  }
}

function lookAt(opened: Opened, shipment: Shipment): SeenCause | undefined {
  const { value, isRead } = opened;
  const path = pathIn(value.replace(/^\/cortex\//, ''));
  if (path.startsWith('/')) return shipment.isDocker ? inImage(opened, shipment) : undefined;
  if (path === '' || /(?:^|\/)\.\w/.test(path)) return undefined;
  if (path.includes(unknown)) return undefined;
  if (path.startsWith('..')) return isRead ? say('file-not-found outside', { path, file: opened.file }) : undefined;
  return (opened.isOfStart ? besideCode(path, opened, shipment) : undefined) ?? plainPath(path, opened, shipment);
}

const volumes = ['persistent-storage', 'global-persistent-storage'];

/** The first name of a path, if it is nearly that of a volume. */
function ofVolume({ value, file }: Opened, shipment: Shipment): SeenCause | undefined {
  const [, path = '', first = ''] = groupsOf(/^(?=\/|[^/]+\/)(\/?([\w-]+))(?=\/|$)/, value);
  const name = closestName(first, volumes);
  if (name === undefined || path === `/${name}`) return undefined;
  const isThere = shipment.exists(first) || !shipment.lacks(shipment.stage(), `/${first}`);
  return isThere ? undefined : say('file-not-found volume', { path, file, meant: `/${name}` });
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
  const { files, others: more } = shipment.stage();
  const image = [...files];
  const [start = '', ...others] = new Set(shipment.servers().map(({ cwd }) => cwd));
  const wanted = posix.resolve(start, path);
  const places = [...files.keys(), ...more.map((each) => each.path)];
  const [there] = image.find(([, own]) => isBelowOrSame(own, path) || isBelowOrSame(own, beside)) ?? [];
  const isThere = places.some((place) => isBelowOrSame(place, wanted) || isBelowOrSame(wanted, place));
  const isKnown = there !== undefined && start !== '' && others.length === 0;
  if (!isKnown || isThere || isBuilt(path, shipment)) return undefined;
  return say('file-not-found start', { path, file, start, there });
}

/** A file that is sent, and that nothing brings into the image. */
function uncopied(path: string, { isRead }: Opened, shipment: Shipment): SeenCause | undefined {
  const docker = shipment.dockerfile();
  const isMeant = isRead || (dataEnds.test(path) && !ownNames.test(path));
  if (!docker || !isMeant || isBuilt(path, shipment)) return undefined;
  const { files, others, workdir } = docker.stage;
  const full = posix.resolve(workdir, path);
  const isThere =
    [...files.values()].some((each) => isBelowOrSame(each, path)) ||
    others.some((each) => isBelowOrSame(full, each.path));
  return isThere ? undefined : say('file-not-found uncopied', { path, dockerfile: docker.path });
}

/** Files of the app's tools. */
const ownNames = /^(?:README\.md|pyproject\.toml|package\.json|requirements\S*\.txt)$/;

/** Whether a text is surely a file name: `data.json`, not `os.path`. */
const isFile = (value: string) =>
  /\.[A-Za-z]\w{0,11}$/.test(value) &&
  !/\s|[<>{}"'`;,|]|^\.+\w*$/.test(value) &&
  (value.includes('/') || dataEnds.test(value));
const dataEnds =
  /\.(?:json|jsonl|ya?ml|csv|tsv|txt|toml|ini|cfg|xml|html?|md|sql|db|sqlite|pkl|joblib|npy|npz|pth?|onnx|bin|ckpt|safetensors|gguf|model|ubj|h5|parquet|gz|zip|ttf|otf|png|jpe?g|wav|mp3|pem|crt|proto|tflite)$/;

/** Folders that are filled when the app runs. */
const isOfRun = /^\/(?:(?:global-)?persistent-storage|dev|media|mnt|proc|run|sys|tmp)\//;

/** A path of an image that is built from a Dockerfile. */
function inImage(opened: Opened, shipment: Shipment): SeenCause | undefined {
  const { value } = opened;
  const docker = shipment.dockerfile();
  if (!docker || isOfRun.test(value) || value.includes(unknown)) return undefined;
  const { files, others, workdir } = docker.stage;
  const isThere = [...files.keys()].some((path) => isBelowOrSame(path, value));
  if (isThere || others.some((each) => isBelowOrSame(value, each.path))) return undefined;
  const name = posix.basename(value);
  const same = [...files.keys()].find((each) => posix.basename(each) === name);
  const stages = docker.image.stages.flatMap(({ commands }) => commands.map(({ words }) => words.join(' ')));
  if (!isMeant(opened, same, workdir, shipment) || stages.some((each) => each.includes(name))) return undefined;
  return say('file-not-found image', { path: value, same, dockerfile: docker.path });
}

/** Whether it is surely a file that a Dockerfile has to bring. */
function isMeant({ value, isRead }: Opened, same: string | undefined, workdir: string, { sent }: Shipment): boolean {
  if (same !== undefined || sent.has(value.slice(1))) return isRead || isFile(value);
  return isRead && workdir !== '/' && value.startsWith(`${workdir}/`);
}

function excluded(path: string, opened: Opened, shipment: Shipment): SeenCause | undefined {
  const { file, line, isRead, value } = opened;
  const isFolder = shipment.isFolder(path);
  const isEmpty = isFolder && shipment.list(path).length === 0;
  if (isEmpty || !(isRead || namesFile(path, value))) return undefined;
  const { why: because, fix, setting } = shipment.whyUnsent(path);
  const opens = isRead ? 'opens' : 'names';
  return say('file-excluded opened', { path, because, file, line, opens }, { at: { setting }, fix });
}

const namesFile = (path: string, value: string) => !path.endsWith('.py') && (isFile(path) || isFromFile(value));

const isName = (path: string, isRead: boolean) =>
  !/[*?[]|%[\w.(]/.test(path) && (isFile(path) || (isRead && isPlain.test(path)));

/** Endings of files that are only read. */
const isPlain = /^[\w./-]+\.(?:css|js|tpl|tmpl|j2|jinja2?|sh|conf|dat|data|lst|geojson|graphql|prompt|vocab|model)$/;

/** Weights and settings that ultralytics fetches, or has, by their names. */
const isFetched =
  /^(?:yolo(?:v?\d+|e-\d+|_nas_)[a-z]{0,2}\d?(?:-(?:seg|pose|cls|obb|world\w*|oiv7|tiny|spp))*|sam2?(?:\.\d)?_[a-z]|mobile_sam|FastSAM-[a-z]|rtdetr-[a-z])\.(?:pt|ya?ml)$/;

function notThere(
  path: string,
  { value, isRead, mayBeMade, isNamed }: Opened,
  shipment: Shipment,
): SeenCause | undefined {
  if (!isName(path, isRead) || isFetched.test(path) || isBuilt(path, shipment)) return undefined;
  const folder = posix.dirname(path);
  const same = shipment.paths.find((each) => each.toLowerCase() === path.toLowerCase());
  if (same !== undefined) return say('file-not-found case', { path, same });
  const meant = likeIt(path, shipment);
  if (meant !== undefined)
    return isRead || path.includes('/')
      ? say('file-not-found like', { path, meant, whole: posix.join(folder, meant) })
      : undefined;
  // Of a folder that is not there, something else makes it, unless nothing else names it.
  const isMade = mayBeMade || (isNamed && shipment.list(folder).length === 0);
  const isSure = isRead && (isFromFile(value) || !isMade);
  return isSure ? say('file-not-found', { path }) : undefined;
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
  const name = posix.basename(path);
  const [top = name] = path.split('/');
  const making = shipment.buildCommands().filter(({ words }) => !fits(/^ch(?:mod|own)$/, words[0]));
  const isNamed = (text: string, ...names: string[]) => names.some((each) => text.includes(each));
  const isMade = making.some(({ words }) => {
    const scripts = words.slice(0, 2).flatMap((word) => shipment.fileAt(word) ?? []);
    const others = words.filter((word) => shipment.fileAt(word) === undefined && !/^--?[\w-]+$/.test(word));
    const texts = scripts.map((file) => shipment.read(file)).join(' ');
    return isNamed(others.join(' '), name, top) || isNamed(texts, name, `${top}/`);
  });
  return isMade || isNamed([...shipment.stage().written.keys()].join(' '), name, top);
}

const lastNames = (names: string) => new Set(names.trim().split(/\s+/));

/** Calls that read what they are called on, or what they are given. */
const reading = lastNames(`
  open read read_text read_bytes read_csv read_json read_parquet read_excel read_table read_file iterdir glob rglob listdir
  scandir load load_model safe_load full_load load_dataset loadtxt genfromtxt fromfile imread from_file from_json_file
  from_yaml from_pretrained from_csv scan_csv parse truetype TTFont InferenceSession FileSystemLoader StaticFiles
  Jinja2Templates RawConfigParser CascadeClassifier Booster YOLO Environment`);
/** Calls that make a file, or ask whether it is there. */
const making = lastNames(`
  writelines savefig savetxt to_csv to_json to_parquet mkdir makedirs urlretrieve hf_hub_download snapshot_download touch
  copy copyfile copytree move rename exists is_file isfile is_dir isdir connect unlink remove basicConfig FileHandler
  RotatingFileHandler imwrite`);
/** Functions of the app, too: `convert_to_onnx(model, "model.onnx")`. */
const makesByName = /^(?:convert|download|dump|export|fetch|quantize|save|write)(?:_|$)/;

const lastOf = ({ name }: PythonCall) => name.slice(name.lastIndexOf('.') + 1);

/** A path that the code has. */
interface Opened {
  value: string;
  file: string;
  line: number;
  /** Whether a call reads it. */
  isRead: boolean;
  /** Whether it looks for it where the app starts, and nowhere else. */
  isOfStart?: boolean;
  /** Whether a program that the code starts may make it. */
  mayBeMade?: boolean;
  /** Whether the code names its folder elsewhere, too. */
  isNamed?: boolean;
}

/** Files that people write, and no program does. */
const isSettings = /\.(?:ya?ml|toml|ini|cfg)$|(?:^|[/_.-])(?:config|settings|labels|prompts?)\.\w+$/;
const isSameTop = (a: string, b: string) => pathIn(a).split('/')[0] === pathIn(b).split('/')[0];

/** The paths that the code of the app reads or names. */
function pathsOpened(app: LookedApp): Opened[] {
  const calls = app.calls();
  const moves = calls
    .filter(({ name }) => /^(?:os|contextlib)\.chdir$/.test(name))
    .map(({ arguments: [to = ''] }) => to);
  const isMoved = moves.length > 0;
  // Elsewhere than to the folder of the app: where a plain path is looked for is not known.
  const isLost = moves.some((to) => !isFromFile(to) || pathIn(to) !== '');
  const mayBeMade = calls.some(({ name }) => startsProcess.test(name));
  const texts = app.modules.flatMap(({ facts }) => facts.texts.map(({ value }) => value));
  const opened = openedBy(app).map((each) => ({
    ...each,
    isOfStart: each.isOfStart === true && !isMoved && !isFromFile(each.value),
    mayBeMade,
    isNamed: !isSettings.test(each.value) || texts.some((text) => text !== each.value && isSameTop(text, each.value)),
  }));
  const clear = opened.filter(({ value }) => !isLost || isFromFile(value) || value.startsWith('/'));
  return [...clear, ...(app.shipment.isDocker ? openedByOthers(app.shipment) : []), ...givenByStart(app.shipment)];
}

/** Files that the start names in variables. */
const givenByStart = ({ started, stage }: Shipment): Opened[] =>
  started().flatMap(({ environment, line, at: { file } = {} as { file?: string } }) =>
    [...environment]
      .filter(([name, value]) => file !== undefined && /^\w[\w./-]*$/.test(value) && !stage().environment.has(name))
      .map(([, value]) => ({ value, file: file ?? '', line, isRead: false })),
  );

/** Calls of other languages that read a file by its name. */
const readingElsewhere =
  /\b(?:os\.(?:ReadFile|Open)|template\.ParseFiles|(?:readFile|readFileSync|createReadStream)|fs::read(?:_to_string)?|File::open|File\.(?:read|open))\(\s*["']([\w./-]+\.\w+)["']/g;

const openedByOthers = ({ paths, read }: Shipment): Opened[] =>
  foundInCode(paths, read, /(?<!_test|\.d)\.(?:go|rs|rb|[cm]?[jt]s)$/, readingElsewhere).map(
    ({ match: [, value = ''], line, file }) => ({ value, file, line, isRead: true, mayBeMade: true }),
  );

function openedBy(app: LookedApp): Opened[] {
  const made = new Set(app.calls().flatMap(madeBy));
  const all = app.modules.flatMap(({ file, facts, isEntry }) => {
    // What a module does as a script, it does not do when it is imported.
    const runs = ({ line }: { line: number }) => isEntry !== false || !facts.scriptLines.has(line);
    const read = facts.calls.filter(runs).flatMap(readBy);
    const values = new Set(read.map(({ value }) => value));
    const texts = facts.texts.filter((each) => runs(each) && !values.has(each.value) && /[./]/.test(each.value));
    // A file that is named in several folders of the image is looked for.
    const isOther = (value: string) => (each: { value: string }) =>
      each.value.startsWith('/') && each.value !== value && posix.basename(each.value) === posix.basename(value);
    const named = texts.filter(({ value }) => !value.startsWith('/') || !texts.some(isOther(value)));
    return [
      ...read.map((each) => ({ ...each, file, isRead: true })),
      ...named.map((each) => ({ ...each, file, isRead: false })),
    ];
  });
  return all.filter(({ value }) => value !== '' && !value.includes('://') && !made.has(posix.basename(value)));
}

/** Calls that take a path from the folder in which the app starts. */
const readingStart =
  /^(?:(?:io\.|codecs\.|aiofiles\.)?open|pandas\.read_\w+|numpy\.(?:load|loadtxt|genfromtxt)|(?:joblib|torch)\.load|cv2\.imread|PIL\.Image\.open|(?:fastapi|starlette)\.(?:staticfiles\.StaticFiles|templating\.Jinja2Templates)|\.read_(?:text|bytes))$/;

function readBy(call: PythonCall): Omit<Opened, 'file' | 'isRead'>[] {
  const value = call.object ?? call.arguments[0] ?? call.keywords.directory ?? call.keywords.path;
  return reading.has(lastOf(call)) && value !== undefined && !call.isTried
    ? [{ value, line: call.line, isOfStart: readingStart.test(call.name) }]
    : [];
}

function madeBy(call: PythonCall): string[] {
  const isWritten = [...call.arguments, call.keywords.mode].some((each) => fits(/^(?:[wax]b?\+?|r?b?\+)$/, each));
  const values = [...call.arguments, call.object, call.keywords.path, call.keywords.filename];
  if (!isWritten && !making.has(lastOf(call)) && !makesByName.test(lastOf(call))) return [];
  return values.flatMap((each) => (each === undefined ? [] : [posix.basename(each)]));
}
