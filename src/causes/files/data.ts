import { posix } from 'node:path';
import { loadAll, YAMLException } from 'js-yaml';
import { parse } from 'smol-toml';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** Files that are sent and that nobody can read: pointers, marks of a merge, what breaks the rules of its format. */
export function* lookAtData(shipment: Shipment): Generator<SeenCause> {
  for (const file of shipment.paths) {
    const size = shipment.sent.get(file)?.size ?? 0;
    const kind = posix.extname(file).toLowerCase();
    if (size < 1_000) {
      const start = shipment.bytes(file)?.toString('latin1', 0, 60) ?? '';
      if (/^version https:\/\/git-lfs/.test(start)) {
        yield {
          cause: 'git-lfs-pointer',
          severity: 'warning',
          captured: { path: file },
          at: { file, line: 1 },
          title: `${file} is only a pointer of Git LFS, not its content`,
        };
        continue;
      }
    }
    if (!textKinds.test(kind) && !/^(?:Dockerfile|Procfile|Makefile|\.env)/.test(posix.basename(file))) continue;
    const bytes = shipment.bytes(file);
    if (!bytes || bytes.length === 0 || file === 'cerebrium.toml') continue;
    const text = bytes.toString();
    const merged = text.includes('<<<<<<< ') ? text.split('\n').findIndex((line) => /^<<<<<<< /.test(line)) : -1;
    if (merged >= 0 && /^>>>>>>> /m.test(text))
      yield {
        cause: 'file-invalid',
        severity: kind === '.py' ? 'error' : 'warning',
        captured: { path: file },
        at: { file, line: merged + 1 },
        title: `${file} has an unresolved merge conflict`,
        fix: 'keep one of the two sides, and remove the lines <<<<<<<, ======= and >>>>>>>',
      };
    else if (kind !== '.py' && kind !== '.txt') yield* ofItsKind(file, kind, text, shipment);
  }
}

const textKinds =
  /^\.(?:py|txt|json|jsonl|ndjson|ya?ml|toml|sh|bash|md|cfg|ini|html|js|mjs|ts|go|rs|php|rb|sql|csv|in)$/;

function* ofItsKind(file: string, kind: string, text: string, shipment: Shipment): Generator<SeenCause> {
  if (/^\.(?:json|ya?ml|toml|jsonl|ndjson|csv)$/.test(kind) && text.includes('\ufffd')) {
    const line = text.slice(0, text.indexOf('\ufffd')).split('\n').length;
    yield {
      cause: 'file-encoding',
      severity: 'warning',
      captured: { path: file },
      at: { file, line },
      title: `${file} is not UTF-8`,
      fix: `save ${file} as UTF-8`,
    };
    return;
  }
  const broken = brokenPlace(file, kind, text);
  if (broken)
    yield {
      cause: 'file-invalid',
      severity: 'warning',
      captured: { path: file, problem: broken.message },
      at: { file, line: broken.line },
      title: `${file} is not valid: ${broken.message}`,
      fix: undefined,
    };
  if (/^\.(?:sh|bash)$/.test(kind) || (kind === '' && text.startsWith('#!'))) yield* script(file, text, shipment);
}

interface Broken {
  message: string;
  line?: number | undefined;
}

function brokenPlace(file: string, kind: string, text: string): Broken | undefined {
  // These have comments.
  if (/(?:^|\/)(?:tsconfig|jsconfig|\.?devcontainer|\.vscode|\.eslintrc)|(?:^|\/)deno\.jsonc/.test(file))
    return undefined;
  const plain = text.replace(/^\ufeff/, '');
  try {
    if (kind === '.json') JSON.parse(plain);
    else if (kind === '.toml') parse(plain);
    // Templates are no YAML yet.
    else if (/^\.ya?ml$/.test(kind) && !/\{\{|\{%/.test(text)) loadAll(plain);
    else if (/^\.(?:jsonl|ndjson)$/.test(kind)) {
      for (const [at, line] of plain.split('\n').entries())
        try {
          if (line.trim() !== '') JSON.parse(line);
        } catch (error) {
          return { message: (error as Error).message, line: at + 1 };
        }
    }
  } catch (error) {
    if (error instanceof YAMLException)
      return /unknown (?:tag|scalar tag)|duplicated mapping|tag suffix/.test(error.message)
        ? undefined
        : { message: error.reason ?? error.message, line: (error.mark?.line ?? 0) + 1 };
    const message = (error as Error).message.split('\n')[0] ?? '';
    const offset = Number(/position (\d+)/.exec(message)?.[1] ?? Number.NaN);
    const line =
      'line' in (error as object)
        ? Number((error as { line: unknown }).line)
        : Number.isNaN(offset)
          ? plain.trimEnd().split('\n').length
          : plain.slice(0, offset).split('\n').length;
    return { message: message.replace(/ in JSON at position \d+.*| \(line \d+.*\)|"[^"]{60,}/, ''), line };
  }
  return undefined;
}

function* script(file: string, text: string, shipment: Shipment): Generator<SeenCause> {
  const isUsed =
    shipment.isDocker ||
    [...shipment.started(), ...shipment.buildCommands()].some(({ words }) =>
      words.some((word) => word.endsWith(posix.basename(file))),
    ) ||
    shipment.started().some(({ at }) => at !== undefined && 'file' in at && at.file === file);
  if (!isUsed) return;
  if (text.includes('\r\n'))
    yield {
      cause: 'line-endings',
      severity: 'warning',
      captured: { path: file },
      at: { file, line: text.slice(0, text.indexOf('\r\n')).split('\n').length },
      title: `${file} has Windows line endings, which a shell takes for a part of each line`,
    };
  const open = unbalanced(text);
  if (open !== undefined)
    yield {
      cause: 'shell-syntax-error',
      severity: 'error',
      captured: { path: file, problem: `a quote is not closed` },
      at: { file, line: open },
    };
}

/** The line of a quote that nothing closes. */
function unbalanced(text: string): number | undefined {
  if (/<<-?\s*["']?\w/.test(text)) return undefined;
  let quote = '';
  let from = 0;
  const stack: string[] = [];
  for (let at = 0, line = 1; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '\n') line++;
    if (char === '\\' && quote !== "'") at++;
    else if (quote === "'") quote = char === "'" ? (stack.pop() ?? '') : quote;
    else if (char === '$' && text[at + 1] === '(') {
      stack.push(quote);
      quote = '';
      at++;
      stack.push('(');
    } else if (char === ')' && quote === '' && stack.at(-1) === '(') {
      stack.pop();
      quote = stack.pop() ?? '';
    } else if (char === '"' && quote === '"') quote = '';
    else if (char === '#' && quote === '' && /\s/.test(text[at - 1] ?? '\n')) {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end - 1;
    } else if (quote === '' && (char === '"' || char === "'")) {
      quote = char;
      from = line;
    }
  }
  return quote === '' && stack.length === 0 ? undefined : from;
}
