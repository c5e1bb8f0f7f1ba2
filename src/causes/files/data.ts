import { posix } from 'node:path';
import { loadAll, YAMLException } from 'js-yaml';
import { parse } from 'smol-toml';
import { groupsOf, lineAt, lineWith } from '../../kernel/groups.ts';
import type { LookedApp } from './looked-app.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** Files that are sent and that nobody can read: pointers, marks of a merge, what breaks the rules of its format. */
export function* lookAtData({ shipment }: LookedApp): Generator<SeenCause> {
  const named = namesInSources(shipment);
  for (const file of shipment.paths) {
    const kind = posix.extname(file).toLowerCase();
    const lfsPointer = pointer(shipment, file);
    if (lfsPointer) yield lfsPointer;
    else if ((sourceKinds.test(kind) || isRead(file, named)) && file !== 'cerebrium.toml')
      yield* text(shipment, file, kind, named);
  }
  for (const file of shipment.startedFiles()) yield* lineEnds(shipment, file);
}

function* text(shipment: Shipment, file: string, kind: string, named: ReadonlySet<string>): Generator<SeenCause> {
  const read = shipment.read(file);
  const merged = mergeMarks(file, read);
  if (merged) yield merged;
  else if (formats[kind] && isRead(file, named)) yield* broken(file, kind, read);
}

function pointer(shipment: Shipment, file: string): SeenCause | undefined {
  const size = shipment.sent.get(file)?.size ?? 0;
  if (size > 300 || size < 100 || !/^version https:\/\/git-lfs/.test(shipment.read(file))) return undefined;
  return say('git-lfs-pointer', { path: file }, { at: { file, line: 1 } });
}

/** Others are read only if the code names them: thousands of them may be data. */
const sourceKinds = /^\.(?:py|(?:geo)?json|ya?ml|toml|sh|cfg|ini|[cm]?[jt]s|go|rs|php|rb)$/;

function mergeMarks(file: string, text: string): SeenCause | undefined {
  if (!text.includes('<<<<<<< ') || !/^=======\r?$/m.test(text) || !/^>>>>>>> /m.test(text)) return undefined;
  const isCertain = file.endsWith('.py');
  return say('file-invalid merge', { path: file }, { isCertain, at: { file, line: lineWith(text, '<<<<<<< ') } });
}

/** Names of data files that the sources write, and the ends of those that they take by a pattern. */
function namesInSources(shipment: Shipment): ReadonlySet<string> {
  const sources = shipment.paths.filter((path) => /\.(?:py|[cm]?[jt]sx?|sh|rs|go|php|rb)$/.test(path));
  const names = sources.flatMap(
    (path) =>
      shipment
        .text(path)
        ?.match(
          /(?<![\w*.-])[\w*.-]{1,255}\.(?:(?:geo)?jsonl?|ndjson|ya?ml|toml|xml|pkl|onnx|npy|pt|csv|tsv|txt|md)\b/g,
        ) ?? [],
  );
  // What a Dockerfile copies is read, too; JSON with comments only by tools of its own.
  const copied = shipment.text(shipment.dockerfile()?.path ?? '')?.match(/[\w.-]+\.toml\b/g) ?? [];
  return new Set([...names, ...copied]);
}

/** Tools read these themselves. */
const ownNames = /^(?:package\.json|pyproject\.toml|environment\.ya?ml|Cargo\.toml|deno\.json|composer\.json)$/;

const isRead = (file: string, named: ReadonlySet<string>) =>
  named.has(posix.basename(file)) || named.has(`*${posix.extname(file)}`) || ownNames.test(posix.basename(file));

interface Broken {
  message: string;
  line: number;
}

/** What is wrong with a text of a kind. */
const formats: Readonly<Record<string, (text: string) => Broken | undefined>> = {
  '.json': brokenJson,
  '.geojson': brokenJson,
  '.toml': brokenToml,
  '.yaml': brokenYaml,
  '.yml': brokenYaml,
};

function* broken(file: string, kind: string, text: string): Generator<SeenCause> {
  const odd = text.indexOf('\ufffd');
  const problem = odd < 0 ? formats[kind]?.(text.replace(/^\ufeff/, '')) : undefined;
  if (odd >= 0) yield say('file-encoding', { path: file }, { at: { file, line: lineAt(text, odd) } });
  else if (problem)
    yield say('file-invalid', { path: file, problem: problem.message }, { at: { file, line: problem.line } });
}

function failureOf(read: () => unknown): Error | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

function brokenJson(text: string): Broken | undefined {
  const message = failureOf(() => JSON.parse(text))?.message.split('\n')[0];
  if (message === undefined) return undefined;
  const [, offset] = groupsOf(/position (\d+)/, message);
  const line = lineAt(text.trimEnd(), offset === undefined ? text.length : Number(offset));
  return { message: message.replace(/,? ?\.*"[^"]{30,}.*| in JSON at position \d+.*| \(line \d+.*\)/s, ''), line };
}

function brokenToml(text: string): Broken | undefined {
  const error = failureOf(() => parse(text)) as (Error & { line?: number }) | undefined;
  return error && { message: error.message.split('\n')[0] ?? '', line: error.line ?? 1 };
}

function brokenYaml(text: string): Broken | undefined {
  // Templates are no YAML yet, and tags are known to the program that reads them.
  if (/\{\{|\{%|(?:^|\s)!\w/.test(text)) return undefined;
  const error = failureOf(() => loadAll(text));
  if (!(error instanceof YAMLException) || /duplicated mapping/.test(error.message)) return undefined;
  return { message: error.reason ?? error.message, line: (error.mark?.line ?? 0) + 1 };
}

function* lineEnds(shipment: Shipment, file: string): Generator<SeenCause> {
  const text = shipment.read(file);
  const at = text.indexOf('\r\n');
  if (at >= 0 && (file.endsWith('.sh') || text.startsWith('#!')))
    yield say('line-endings', { path: file }, { at: { file, line: lineAt(text, at) } });
}
