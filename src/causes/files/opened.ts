import { posix } from 'node:path';
import { compileGlob } from '../../app/files/glob.ts';
import { isFromFile, pathIn, unknown } from '../../app/python-facts.ts';
import { closestName } from '../../app/toml/closest-name.ts';
import type { Module, PythonCode } from './python.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

const reads =
  /(?:^|\.)(?:open|read_\w+|load\w*|safe_load|full_load|imread|from_file|from_json_file|from_yaml|from_pretrained|InferenceSession|parse|iterdir|glob|rglob|truetype|TTFont|fromfile|genfromtxt|loadtxt|RawConfigParser|read|Image\.open|from_csv|scan_csv|FileSystemLoader|StaticFiles|Jinja2Templates|template_folder|listdir|joblib\.load)$/;
const writes =
  /(?:^|\.)(?:write\w*|save\w*|to_\w+|dump|mkdir|makedirs|urlretrieve|download\w*|hf_hub_download|snapshot_download|touch|copy\w*|move|rename|exists|is_file|isfile|connect|unlink|remove|basicConfig|FileHandler|RotatingFileHandler)$/;

/** Files that the code opens by a name that it knows: those that are there and not sent, and those that are not there. */
export function* lookAtOpened(shipment: Shipment, code: PythonCode): Generator<SeenCause> {
  const written = new Set<string>();
  for (const { facts } of code.modules.values())
    for (const call of facts.calls)
      if (
        writes.test(call.name) ||
        [...call.arguments, call.keywords.mode].some(
          (each) => each !== undefined && /^[wax]b?\+?$|^[rb]+\+$/.test(each),
        )
      )
        for (const each of [...call.arguments, call.object]) if (each !== undefined) written.add(posix.basename(each));
  const said = new Set<string>();
  for (const module of code.modules.values()) {
    const read = new Map<string, boolean>();
    for (const call of module.facts.calls) {
      if (!reads.test(call.name)) continue;
      const value =
        /\.(?:read_\w+|open|iterdir|r?glob)$/.test(call.name) && call.object !== undefined
          ? call.object
          : (call.arguments[0] ?? call.keywords.directory);
      if (value !== undefined) read.set(value, /open$|read_(?:text|bytes)$/.test(call.name));
    }
    for (const { value, line } of [
      ...module.facts.texts,
      ...module.facts.calls.flatMap((call) =>
        read.has(call.object ?? '') ? [{ value: call.object ?? '', line: call.line }] : [],
      ),
    ]) {
      const found = lookAt(shipment, module, value, line, read, written);
      const key = found && `${found.cause} ${found.captured?.path}`;
      if (found && key !== undefined && !said.has(key)) {
        said.add(key);
        yield found;
      }
    }
  }
}

const isFile = (value: string) =>
  /\.[A-Za-z]\w{0,11}$/.test(value) &&
  !/\s|[<>{}"'`;,]|:\/\/|^\w+\.\w+$(?<!\.(?:json|ya?ml|csv|txt|toml|pkl|pickle|npy|npz|pt|pth|onnx|bin|ckpt|safetensors|gguf|md|html|tpl|j2|wav|mp3|png|jpe?g|ttf|otf|gz|zip|db|sqlite|jsonl|ini|cfg|joblib|parquet|h5|model|ubj|xml|pem|crt|key|sql|dat|tsv|mmdb|tflite|pb|vocab|proto|lua|wasm))/.test(
    value,
  );

function lookAt(
  shipment: Shipment,
  { file }: Module,
  value: string,
  line: number,
  read: ReadonlyMap<string, boolean>,
  written: ReadonlySet<string>,
): SeenCause | undefined {
  if (value.length > 200 || value.includes('://') || value === '' || written.has(posix.basename(value)))
    return undefined;
  if (
    /^(?:\/Users\/|\/home\/[a-z][\w-]*\/|[A-Za-z]:[\\/])/.test(value) &&
    read.size > 0 &&
    !value.includes(unknown) &&
    isMachinePath(shipment, value)
  )
    return {
      cause: 'file-not-found',
      severity: read.has(value) ? 'error' : 'warning',
      captured: { path: value },
      at: { file, line },
      title: `${file} opens ${value}, a path of one machine`,
      fix: 'put the file into the app folder, and open it by a path from __file__',
    };
  const isInImage = value.startsWith('/') && shipment.isDocker;
  if (value.startsWith('/') && !isInImage) {
    if (!value.startsWith('/cortex/')) return undefined;
  }
  const path = isInImage ? imageFile(shipment, value) : pathIn(value.replace(/^\/cortex\//, ''));
  if (path?.startsWith('../') && read.has(value) && !path.includes(unknown) && isFile(path))
    return {
      cause: 'file-not-found',
      severity: 'warning',
      captured: { path },
      at: { file, line },
      title: `${file} opens ${path}, which is outside of the app folder`,
      fix: 'put it into the app folder: only that is sent',
    };
  if (path === undefined || path === '' || path.startsWith('..') || shipment.sent.has(path))
    return isInImage ? notInImage(shipment, value, file, line, read) : undefined;
  const hasUnknown = path.includes(unknown);
  const isRead = read.has(value);
  const rest = path.startsWith(`${unknown}/`) ? path.slice(2) : '';
  if (rest !== '' && !rest.includes(unknown) && isFile(rest) && shipment.exists(rest) && !shipment.sent.has(rest))
    return excluded(shipment, rest, file, line, isRead);
  if (hasUnknown)
    return isFromFile(value) || path.includes('/') || /\.\w+$/.test(path)
      ? unsentBy(shipment, path, file, line)
      : undefined;
  const folder = posix.dirname(file) === '.' ? '' : posix.dirname(file);
  // A plain path is looked for where the app starts, and beside the file by some libraries.
  const places = isFromFile(value) ? [path] : [path, ...(isRead ? [posix.join(folder, path)] : [])];
  if (places.some((each) => shipment.sent.has(each)) || (shipment.hasFolder(path) && !isFile(path))) return undefined;
  const there = places.find((each) => shipment.exists(each));
  if (there !== undefined) {
    if (there.endsWith('.py') && !isRead) return undefined;
    if (!isFile(there) && !isRead && !isFromFile(value)) return undefined;
    if (shipment.isFolder(there) && (shipment.hasFolder(there) || shipment.list(there).length === 0)) return undefined;
    return excluded(shipment, there, file, line, isRead);
  }
  if (!isRead || (!isFile(path) && !isFromFile(value)) || /^(?:r|rb|\w+)$/.test(value)) return undefined;
  if (
    shipment.isDocker &&
    places.some(
      (each) =>
        shipment.fileAt(each) !== undefined ||
        shipment.dockerfile()?.stage.commands.some(({ words }) => words.join(' ').includes(posix.basename(each))),
    )
  )
    return undefined;
  const names = shipment.list(posix.dirname(path));
  const meant =
    closestName(posix.basename(path), names) ??
    names.find((name) => name.replace(/\.\w+$/, '') === posix.basename(path).replace(/\.\w+$/, ''));
  if (!isFromFile(value) && meant === undefined && !read.get(value)) return undefined;
  return {
    cause: 'file-not-found',
    severity: 'warning',
    captured: { path },
    at: { file, line },
    why: meant && `the folder has ${meant}`,
    fix: meant ? `open ${posix.join(posix.dirname(path), meant)}, or rename it` : `add ${path} to the app`,
  };
}

/** What a Dockerfile speaks of is a path of the image. */
function isMachinePath(shipment: Shipment, value: string): boolean {
  const top = value.split(/[\\/]/).slice(0, 3).join('/');
  return !shipment.isDocker || !shipment.text(shipment.dockerfile()?.path ?? '')?.includes(top);
}

function imageFile(shipment: Shipment, value: string): string | undefined {
  return shipment.inImage().get(value);
}

function notInImage(
  shipment: Shipment,
  value: string,
  file: string,
  line: number,
  read: ReadonlyMap<string, boolean>,
): SeenCause | undefined {
  const docker = shipment.dockerfile();
  if (!docker || value.includes(unknown) || shipment.inImage().has(value)) return undefined;
  const { stage } = docker;
  if (
    [...stage.files.keys()].some((path) => path.startsWith(`${value}/`)) ||
    stage.others.some((each) => value === each || value.startsWith(`${each}/`))
  )
    return undefined;
  const text = shipment.text(docker.path) ?? '';
  const isIn = stage.workdir !== '/' && value.startsWith(`${stage.workdir}/`);
  const sameName = [...stage.files.keys()].find((path) => posix.basename(path) === posix.basename(value));
  const isPlain =
    !/^\/(?:tmp|persistent-storage|proc|sys|dev|etc|var\/(?:log|tmp|run))/.test(value) &&
    !stage.commands.some(({ words }) => words.join(' ').includes(posix.basename(value)));
  if (
    !isPlain ||
    (!isIn && sameName === undefined) ||
    (!read.has(value) && sameName === undefined) ||
    text.includes(`mkdir -p ${value}`) ||
    (!isFile(value) && !isIn)
  )
    return undefined;
  return {
    cause: 'file-not-found',
    severity: 'warning',
    captured: { path: value },
    at: { file, line },
    why: sameName ? `the image has ${sameName}` : `${docker.path} copies nothing to it`,
    fix: sameName ? `open ${sameName}` : `copy it in ${docker.path}`,
  };
}

function excluded(shipment: Shipment, path: string, file: string, line: number, isRead: boolean): SeenCause {
  const { why, fix } = shipment.reasonOf(shipment.isFolder(path) ? `${path}/file` : path);
  return {
    cause: 'file-excluded',
    severity: 'warning',
    captured: { path },
    at: { file, line },
    title: `${path} is in the app folder, but is not sent: ${why}`,
    why: isRead ? `${file}:${line} opens it` : `${file}:${line} names it`,
    fix,
  };
}

/** Of files that a pattern names, none is sent, and some are there. */
function unsentBy(shipment: Shipment, path: string, file: string, line: number): SeenCause | undefined {
  const parts = path.split('/');
  const depth = parts.findIndex((part) => part.includes(unknown));
  const folder = parts.slice(0, depth).join('/');
  const pattern = parts.slice(depth).join('/').replaceAll(unknown, '*');
  if (!/\.\w+$|^\*\/\w+/.test(pattern) && folder === '') return undefined;
  if (!/\.\w+$/.test(pattern)) return undefined;
  const glob = compileGlob(posix.basename(pattern));
  const matches = (name: string) => glob?.matches(posix.basename(name)) === true;
  const here = shipment.list(folder).filter(matches);
  if (here.length === 0) return noneMatches(shipment, folder, posix.basename(pattern), file, line);
  if (shipment.paths.some((each) => each.startsWith(folder === '' ? '' : `${folder}/`) && matches(each)))
    return undefined;
  const first = posix.join(folder, here[0] ?? '');
  return shipment.isFolder(first) ? undefined : excluded(shipment, first, file, line, true);
}

/** Of files with another end than those that are there. */
function noneMatches(
  shipment: Shipment,
  folder: string,
  pattern: string,
  file: string,
  line: number,
): SeenCause | undefined {
  const end = posix.extname(pattern);
  const same = /^\.ya?ml$/.test(end) ? /\.ya?ml$/ : /^\.jpe?g$/.test(end) ? /\.jpe?g$/ : undefined;
  const other = same && shipment.list(folder).find((name) => same.test(name));
  if (folder === '' || other === undefined) return undefined;
  return {
    cause: 'file-not-found',
    severity: 'warning',
    captured: { path: `${folder}/${pattern}` },
    at: { file, line },
    why: `the folder has ${other}`,
    fix: `rename it, or open files that end in ${posix.extname(other)}`,
  };
}

/** Paths in settings of the app: of files that are there and not sent, and of none that is there. */
export function* lookAtNamedInData(shipment: Shipment): Generator<SeenCause> {
  if (shipment.isDocker) return;
  for (const data of shipment.paths) {
    if (
      !/\.(?:ya?ml|json|toml|ini|cfg)$/.test(data) ||
      /(?:^|\/)(?:package(?:-lock)?|tsconfig|pyproject|cerebrium|poetry)\b/.test(data)
    )
      continue;
    for (const [at, text] of (shipment.text(data) ?? '').split('\n').entries()) {
      const [, path = ''] =
        /[:=]\s*["']?((?:\.\/)?[\w-]+(?:\/[\w.-]+)*\/[\w.-]+\.(?:ckpt|pt|pth|bin|onnx|safetensors|gguf|pkl|joblib|json|ya?ml|csv|txt|npy|npz|model|h5|wav|png|jpg))["']?\s*,?\s*$/.exec(
          text,
        ) ?? [];
      const plain = posix.normalize(path);
      if (path === '' || shipment.sent.has(plain) || !shipment.isFolder(posix.dirname(plain))) continue;
      if (shipment.exists(plain)) yield excluded(shipment, plain, data, at + 1, false);
      else {
        const names = shipment.list(posix.dirname(plain));
        const meant =
          closestName(posix.basename(plain), names) ??
          names.find((name) => posix.extname(name) === posix.extname(plain));
        if (meant !== undefined)
          yield {
            cause: 'file-not-found',
            severity: 'warning',
            captured: { path: plain },
            at: { file: data, line: at + 1 },
            why: `the folder has ${meant}`,
            fix: `write ${posix.join(posix.dirname(plain), meant)}, or add the file`,
          };
      }
    }
  }
}
