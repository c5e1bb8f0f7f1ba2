import { posix } from 'node:path';
import { isFromFile, type PythonCall } from '../../app/python/facts.ts';
import { fits } from '../groups.ts';
import type { ModuleGraph } from './modules.ts';
import { isBeside, withoutComments } from './script-imports.ts';
import type { Shipment } from './shipment.ts';
import { startsProcess } from './system.ts';

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
export interface Opened {
  value: string;
  file: string;
  line: number;
  /** Whether a call reads it. */
  isRead: boolean;
  /** Whether it looks for it where the app starts, and nowhere else. */
  isOfStart?: boolean;
  /** Whether a program that the code starts may make it. */
  mayBeMade?: boolean;
}

/** The paths that the code of the app reads or names. */
export function pathsOpened(shipment: Shipment, graph: ModuleGraph): Opened[] {
  const calls = [...graph.modules.values()].flatMap(({ facts }) => facts.calls);
  const isMoved = calls.some(({ name }) => name === 'os.chdir');
  const mayBeMade = calls.some(({ name }) => startsProcess.test(name));
  const found = openedBy(graph).map((each) => ({
    ...each,
    isOfStart: each.isOfStart === true && !isMoved && !isFromFile(each.value),
    mayBeMade,
  }));
  return [...found, ...(shipment.isDocker ? openedByOthers(shipment) : [])];
}

/** Calls of other languages that read a file by its name. */
const readingElsewhere =
  /\b(?:os\.(?:ReadFile|Open)|template\.ParseFiles|(?:readFile|readFileSync|createReadStream)|fs::read(?:_to_string)?|File::open|File\.(?:read|open))\(\s*["']([\w./-]+\.\w+)["']/g;

const openedByOthers = ({ paths, read }: Shipment): Opened[] =>
  paths
    .filter((file) => /(?<!_test|\.d)\.(?:go|rs|rb|[cm]?[jt]s)$/.test(file) && !isBeside(file))
    .flatMap((file) => {
      const text = withoutComments(read(file));
      return [...text.matchAll(readingElsewhere)].map(({ index, 1: value = '' }) => {
        const line = text.slice(0, index).split('\n').length;
        return { value, file, line, isRead: true, mayBeMade: true };
      });
    });

function openedBy(graph: ModuleGraph): Opened[] {
  const modules = [...graph.modules.values()];
  const made = new Set(modules.flatMap(({ facts }) => facts.calls.flatMap(madeBy)));
  const all = modules.flatMap(({ file, facts, isEntry }) => {
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
