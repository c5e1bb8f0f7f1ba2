import { posix } from 'node:path';
import { compileGlob } from '../../app/files/glob.ts';
import { isFromFile, type PythonCall, pathIn, unknown } from '../../app/python/facts.ts';
import { closestName } from '../../app/toml/closest-name.ts';
import type { ModuleGraph } from './modules.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

const lastNames = (names: string) => new Set(names.trim().split(/\s+/));

/** Calls that read what they are called on, or what they are given. */
const reading = lastNames(`
  open read read_text read_bytes read_csv read_json read_parquet read_excel read_table read_file iterdir glob rglob listdir
  scandir load load_model safe_load full_load load_dataset loadtxt genfromtxt fromfile imread from_file from_json_file
  from_yaml from_pretrained from_csv scan_csv parse truetype TTFont InferenceSession FileSystemLoader StaticFiles
  Jinja2Templates RawConfigParser CascadeClassifier Booster YOLO Environment`);
/** Calls that make a file, or ask whether it is there. */
const making = lastNames(`
  write write_text write_bytes writelines save save_model save_pretrained savefig savetxt to_csv to_json to_parquet dump
  mkdir makedirs urlretrieve download hf_hub_download snapshot_download touch copy copyfile copytree move rename exists
  is_file isfile is_dir isdir connect unlink remove basicConfig FileHandler RotatingFileHandler imwrite`);

const lastOf = ({ name }: PythonCall) => name.slice(name.lastIndexOf('.') + 1);

/** A path that the code has. */
interface Opened {
  value: string;
  file: string;
  line: number;
  /** Whether a call reads it. */
  isRead: boolean;
}

/** Files that the code opens by a name that is known: those that are not sent, and those that are not there. */
export function* lookAtOpened(shipment: Shipment, graph: ModuleGraph): Generator<SeenCause> {
  yield* lookAtTemplates(shipment, graph);
  const opened = openedBy(graph);
  const said = new Set<string>();
  for (const each of opened) {
    const found = lookAt(each, shipment);
    const key = `${found?.cause} ${found?.captured?.path}`;
    if (!found || said.has(key)) continue;
    said.add(key);
    yield { at: { file: each.file, line: each.line }, ...found };
  }
}

/** Templates that the code names: any folder may have them. */
function* lookAtTemplates(shipment: Shipment, graph: ModuleGraph): Generator<SeenCause> {
  for (const { file, facts } of graph.modules.values())
    for (const call of facts.calls) {
      const name = templates.has(lastOf(call))
        ? call.arguments.find((each) => each !== undefined && dataEnds.test(each))
        : undefined;
      const isIn = (path: string) => path === name || path.endsWith(`/${name}`);
      if (name === undefined || name.includes(unknown) || shipment.isDocker || shipment.paths.some(isIn)) continue;
      const other = shipment.paths.find(
        (path) => /(?:^|\/)templates?\//.test(path) && posix.extname(path) === posix.extname(name),
      );
      if (other !== undefined)
        yield {
          cause: 'file-not-found',
          severity: 'warning',
          captured: { path: name },
          at: { file, line: call.line },
          why: `the app has ${other}`,
          fix: `name ${posix.basename(other)}, or rename it`,
        };
    }
}

const templates = lastNames('get_template render_template TemplateResponse');

function openedBy(graph: ModuleGraph): Opened[] {
  const modules = [...graph.modules.values()];
  const made = new Set(modules.flatMap(({ facts }) => facts.calls.flatMap(madeBy)));
  const all = modules.flatMap(({ file, facts }) => {
    const read = facts.calls.flatMap(readBy);
    const values = new Set(read.map(({ value }) => value));
    const named = facts.texts.filter(({ value }) => !values.has(value) && /[./]/.test(value));
    return [
      ...read.map((each) => ({ ...each, file, isRead: true })),
      ...named.map((each) => ({ ...each, file, isRead: false })),
    ];
  });
  return all.filter(
    ({ value }) =>
      value !== '' && !value.includes('://') && (isOfMachine.test(value) || !made.has(posix.basename(value))),
  );
}

function readBy(call: PythonCall): { value: string; line: number }[] {
  const value = call.object ?? call.arguments[0] ?? call.keywords.directory ?? call.keywords.path;
  return reading.has(lastOf(call)) && value !== undefined ? [{ value, line: call.line }] : [];
}

function madeBy(call: PythonCall): string[] {
  const isWritten = [...call.arguments, call.keywords.mode].some((each) => /^(?:[wax]b?\+?|r?b?\+)$/.test(each ?? ''));
  const values = [...call.arguments, call.object, call.keywords.path, call.keywords.filename];
  if (!isWritten && !making.has(lastOf(call))) return [];
  return values.flatMap((each) => (each === undefined ? [] : [posix.basename(each)]));
}

/** What is said of a path; the place is that of the code if it has no other. */
type Said = SeenCause;

function lookAt(opened: Opened, shipment: Shipment): Said | undefined {
  const { value, isRead } = opened;
  if (isOfMachine.test(value)) return ofMachine(opened, shipment);
  if (value.startsWith('/') && shipment.isDocker) return inImage(opened, shipment);
  if (value.startsWith('/') && !value.startsWith('/cortex/')) return undefined;
  const path = pathIn(value.replace(/^\/cortex\//, ''));
  if (path === '' || /(?:^|\/)\.\w/.test(path)) return undefined;
  if (path.startsWith('..')) return isRead && !path.includes(unknown) ? outside(path, opened) : undefined;
  if (path.includes(unknown)) return pattern(path, opened, shipment);
  const folder = posix.dirname(opened.file);
  // A plain path is looked for where the app starts; some libraries look beside the file.
  const places = isFromFile(value) || !isRead ? [path] : [path, posix.join(folder, path)];
  if (places.some((each) => shipment.sent.has(each) || shipment.hasFolder(each))) return undefined;
  const there = places.find((each) => shipment.exists(each));
  return there === undefined ? notThere(path, opened, shipment) : excluded(there, opened, shipment);
}

const isOfMachine = /^(?:\/Users\/|\/home\/[a-z][\w-]*\/|[A-Za-z]:[\\/])/;

/** Whether a text is surely the name of a file: it has an ending that is no attribute of a module. */
const isFile = (value: string) =>
  /\.[A-Za-z]\w{0,11}$/.test(value) &&
  !/\s|[<>{}"'`;,|]|^\.+\w*$/.test(value) &&
  (value.includes('/') || dataEnds.test(value));
const dataEnds =
  /\.(?:json|jsonl|ya?ml|csv|tsv|txt|toml|ini|cfg|xml|html?|md|sql|db|sqlite|pkl|joblib|npy|npz|pth?|onnx|bin|ckpt|safetensors|gguf|model|ubj|h5|parquet|gz|zip|ttf|otf|png|jpe?g|wav|mp3|pem|crt|proto|tflite)$/;

/** A path that only one machine has, unless the Dockerfile makes it. */
function ofMachine({ value, file, isRead }: Opened, shipment: Shipment): Said | undefined {
  const top = value.split(/[\\/]/).slice(0, 3).join('/');
  const isOfImage = shipment.isDocker && shipment.text(shipment.dockerfile()?.path ?? '')?.includes(top);
  if (value.includes(unknown) || isOfImage || (!isRead && !isFile(value))) return undefined;
  return {
    cause: 'file-not-found',
    severity: 'warning',
    captured: { path: value },
    title: `${file} opens ${value}, a path of one machine`,
    fix: 'put the file into the app folder, and open it by a path from __file__',
  };
}

const outside = (path: string, { file }: Opened): Said => ({
  cause: 'file-not-found',
  severity: 'warning',
  captured: { path },
  title: `${file} opens ${path}, which is outside of the app folder`,
  fix: 'put it into the app folder: only that is sent',
});

/** A path of an image that is built from a Dockerfile. */
function inImage({ value, isRead }: Opened, shipment: Shipment): Said | undefined {
  const docker = shipment.dockerfile();
  if (!docker || value.includes(unknown) || isInStage(value, docker.stage)) return undefined;
  const { stage, path } = docker;
  const same = [...stage.files.keys()].find((each) => posix.basename(each) === posix.basename(value));
  const isInside = stage.workdir !== '/' && value.startsWith(`${stage.workdir}/`);
  const isMeant = same !== undefined ? isFile(value) || isRead : isInside && isRead;
  const isMade = [...docker.image.stages].some(({ commands }) =>
    commands.some(({ words }) => words.join(' ').includes(posix.basename(value))),
  );
  if (!isMeant || isMade) return undefined;
  return {
    cause: 'file-not-found',
    severity: 'warning',
    captured: { path: value },
    why: same ? `the image has ${same}` : `${path} copies nothing to it`,
    fix: same ? `open ${same}` : `copy it in ${path}`,
  };
}

function isInStage(
  value: string,
  { files, others }: NonNullable<ReturnType<Shipment['dockerfile']>>['stage'],
): boolean {
  const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
  return [...files.keys()].some((path) => isBelow(path, value)) || others.some((each) => isBelow(value, each));
}

function excluded(path: string, { file, line, isRead, value }: Opened, shipment: Shipment): Said | undefined {
  const isFolder = shipment.isFolder(path);
  const isEmpty = isFolder && shipment.list(path).length === 0;
  if (isEmpty || (!isRead && (path.endsWith('.py') || !(isFile(path) || isFromFile(value))))) return undefined;
  const { why, fix, setting } = shipment.reasonOf(isFolder ? `${path}/file` : path);
  return {
    cause: 'file-excluded',
    severity: 'warning',
    captured: { path },
    at: { setting },
    title: `${path} is in the app folder, but is not sent: ${why}`,
    why: `${file}:${line} ${isRead ? 'opens' : 'names'} it`,
    fix,
  };
}

function notThere(path: string, { value, isRead }: Opened, shipment: Shipment): Said | undefined {
  if (!isFile(path) || isBuilt(path, shipment)) return undefined;
  const folder = posix.dirname(path);
  const name = posix.basename(path);
  const names = shipment.list(folder);
  const stem = name.replace(/\.\w+$/, '');
  const isLike = (each: string) => each.replace(/\.\w+$/, '') === stem || posix.extname(each) === posix.extname(name);
  const meant = closestName(name, names) ?? (path.includes('/') ? names.find(isLike) : undefined);
  if (!isRead && (meant === undefined || !path.includes('/'))) return undefined;
  // Of a folder that is not there, something else makes it.
  if (meant === undefined && !isFromFile(value) && names.length === 0) return undefined;
  return {
    cause: 'file-not-found',
    severity: 'warning',
    captured: { path },
    why: meant && `the folder has ${meant}`,
    fix: meant ? `open ${posix.join(folder, meant)}, or rename it` : `add ${path} to the app`,
  };
}

/** Whether a command of the build speaks of it, or of its folder. */
function isBuilt(path: string, shipment: Shipment): boolean {
  const [top = ''] = path.split('/');
  const named = [posix.basename(path), ...(path.includes('/') ? [top] : [])];
  return shipment.buildCommands().some(({ words }) => named.some((each) => words.join(' ').includes(each)));
}

/** Of the files that a pattern stands for, none is sent, and some are there. */
function pattern(path: string, opened: Opened, shipment: Shipment): Said | undefined {
  const parts = path.split('/');
  const depth = parts.findIndex((part) => part.includes(unknown));
  const rest = parts.slice(depth + 1).join('/');
  // From a folder that is not known, what follows may be a path of the app.
  if (depth === 0 && parts[0] === unknown && isFile(rest))
    return shipment.exists(rest) && !shipment.sent.has(rest) ? excluded(rest, opened, shipment) : undefined;
  const name = (parts[depth] ?? '').replaceAll(unknown, '*');
  const glob = compileGlob(name);
  const folder = parts.slice(0, depth).join('/');
  if (rest !== '' || !glob || !/\.\w+$/.test(name)) return undefined;
  const here = shipment.list(folder).filter((each) => glob.matches(each));
  const isSent = shipment.paths.some(
    (each) => posix.dirname(each) === (folder || '.') && glob.matches(posix.basename(each)),
  );
  if (isSent) return undefined;
  const [first] = here;
  return first === undefined
    ? otherEnd(folder, name, shipment)
    : excluded(posix.join(folder, first), { ...opened, isRead: true }, shipment);
}

/** Files with another spelling of the same ending: `.yml` for `.yaml`. */
function otherEnd(folder: string, name: string, shipment: Shipment): Said | undefined {
  const same = [/\.ya?ml$/, /\.jpe?g$/, /\.html?$/].find((each) => each.test(name));
  const other = folder === '' ? undefined : shipment.list(folder).find((each) => same?.test(each));
  if (other === undefined) return undefined;
  return {
    cause: 'file-not-found',
    severity: 'warning',
    captured: { path: `${folder}/${name}` },
    why: `the folder has ${other}`,
    fix: `rename it, or open files that end in ${posix.extname(other)}`,
  };
}

const settings = /\.(?:ya?ml|json|toml|ini|cfg)$/;
const namesPath = /[:=]\s*["']?((?:\.\/)?[\w-]+(?:\/[\w.-]+)*\/[\w.-]+\.\w+)["']?\s*,?\s*$/;

/** Paths in settings of the app: of files that are not sent, and of files that are not there. */
export function* lookAtNamedInData(shipment: Shipment): Generator<SeenCause> {
  for (const file of shipment.isDocker ? [] : shipment.paths.filter((each) => settings.test(each)))
    for (const [at, text] of (shipment.text(file) ?? '').split('\n').entries()) {
      const [, value = ''] = namesPath.exec(text) ?? [];
      const path = posix.normalize(value);
      const isOpen = value !== '' && dataEnds.test(value) && !shipment.sent.has(path);
      if (!isOpen || !shipment.isFolder(posix.dirname(path))) continue;
      const opened = { value, file, line: at + 1, isRead: true };
      const found = shipment.exists(path) ? excluded(path, opened, shipment) : renamed(path, shipment);
      if (found) yield { at: { file, line: at + 1 }, ...found };
    }
}

function renamed(path: string, shipment: Shipment): Said | undefined {
  const folder = posix.dirname(path);
  const names = shipment.list(folder);
  const meant =
    closestName(posix.basename(path), names) ?? names.find((each) => posix.extname(each) === posix.extname(path));
  if (meant === undefined) return undefined;
  return {
    cause: 'file-not-found',
    severity: 'warning',
    captured: { path },
    why: `the folder has ${meant}`,
    fix: `write ${posix.join(folder, meant)}, or add the file`,
  };
}
