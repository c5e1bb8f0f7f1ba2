import { posix } from 'node:path';
import { parseArgsStringToArgv } from 'string-argv';

/** A command of a script, an entrypoint or a Dockerfile, without what only wraps it. */
export interface ShellCommand {
  words: readonly string[];
  /** From 1, in its script. */
  line: number;
}

/** The commands of a script, in order. Those that expand variables keep them as they are written. */
export function shellCommands(script: string): ShellCommand[] {
  const found: ShellCommand[] = [];
  let pending = '';
  for (const [at, text] of script.split(/\r?\n/).entries()) {
    if (pending === '' && /^\s*(?:#|$)/.test(text)) continue;
    pending += text.replace(/\\$/, ' ');
    if (text.endsWith('\\')) continue;
    for (const part of splitCommands(pending)) {
      const words = unwrapped(parseArgsStringToArgv(part));
      if (words.length > 0) found.push({ words, line: at + 1 });
    }
    pending = '';
  }
  return found;
}

/** At `&&`, `||`, `;` and `|`, but for those in quotes. */
function splitCommands(line: string): string[] {
  const parts = [''];
  for (const [part] of line.matchAll(/"(?:\\.|[^"\\])*"|'[^']*'|&&|\|\|?|;|&(?=\s|$)|\s#.*|\\.|[\s\S]/g)) {
    if (/^(?:&&|\|\|?|;|&)$/.test(part)) parts.push('');
    else if (!/^\s#/.test(part)) parts[parts.length - 1] += part;
  }
  return parts;
}

/** Programs that run another one, and how many words of theirs follow. */
const wrappers: readonly RegExp[] = [
  /^(?:exec|nohup|time|sudo|env|command|then|do|else|if|ddtrace-run|opentelemetry-instrument)$/,
  /^(?:\S*\/)?(?:tini|dumb-init)$/,
  /^(?:poetry|uv|pipenv|pdm|hatch) run$/,
  /^(?:micromamba|conda|mamba) run$/,
  /^(?:\S*\/)?xvfb-run$/,
];

function unwrapped(given: readonly string[]): string[] {
  let words = [...given];
  for (;;) {
    const [first = '', second = ''] = words;
    if (/^\w+=/.test(first)) words = words.slice(1);
    else if (wrappers.some((each) => each.test(first))) words = withoutFlags(words.slice(1));
    else if (wrappers.some((each) => each.test(`${first} ${second}`))) words = withoutFlags(words.slice(2));
    else if (/^python[\d.]*$/.test(posix.basename(first)) && isServerModule(words))
      words = words.slice(words.indexOf('-m') + 1);
    else return words;
  }
}

/** `python -m uvicorn`. */
function isServerModule(words: readonly string[]): boolean {
  const flag = words.find((word, at) => at > 0 && !/^-[^m]/.test(word));
  return (
    flag === '-m' &&
    !/^[\w.]+\.|^(?:app|main|server|src|service|api|bot|worker|run)$/.test(words[words.indexOf('-m') + 1] ?? '') &&
    Object.hasOwn(servers, words[words.indexOf('-m') + 1] ?? '')
  );
}

function withoutFlags(words: readonly string[]): string[] {
  let at = 0;
  while (/^-/.test(words[at] ?? '')) at += /^(?:-n|-p|--name|--prefix|-g)$/.test(words[at] ?? '') ? 2 : 1;
  return words.slice(at);
}

/** The value of a flag: `--port 80`, `--port=80`, `-p 80`. */
export function flagOf(words: readonly string[], ...names: string[]): string | undefined {
  for (const [at, word] of words.entries()) {
    if (names.includes(word)) return words[at + 1];
    const name = names.find((each) => word.startsWith(`${each}=`));
    if (name) return word.slice(name.length + 1);
  }
  return undefined;
}

/** What a command starts. */
export interface Server {
  program: string;
  /** `src.app` and `app` of `uvicorn src.app:app`. */
  module?: string;
  attribute?: string;
  /** Whether the module is run as a program: `python -m app`. */
  isRun?: true;
  /** The Python file that it runs. */
  script?: string;
  /** Where it listens: undefined if the command does not say. */
  port?: string;
  host?: string;
  words: readonly string[];
}

/** Servers: where they listen if nothing says it. */
const servers: Readonly<Record<string, { host: string; port: string }>> = {
  uvicorn: { host: '127.0.0.1', port: '8000' },
  gunicorn: { host: '127.0.0.1', port: '8000' },
  hypercorn: { host: '127.0.0.1', port: '8000' },
  daphne: { host: '127.0.0.1', port: '8000' },
  granian: { host: '127.0.0.1', port: '8000' },
  'waitress-serve': { host: '0.0.0.0', port: '8080' },
  flask: { host: '127.0.0.1', port: '5000' },
  fastapi: { host: '0.0.0.0', port: '8000' },
  streamlit: { host: '0.0.0.0', port: '8501' },
  bentoml: { host: '0.0.0.0', port: '3000' },
  chainlit: { host: '127.0.0.1', port: '8000' },
  vllm: { host: '0.0.0.0', port: '8000' },
};

/** Undefined for a command that starts no server that is known, and no Python file. */
export function serverOf(words: readonly string[]): Server | undefined {
  const program = posix.basename(words[0] ?? '');
  const rest = words.slice(1);
  if (/^python[\d.]*$/.test(program) || /\.py$/.test(program)) {
    const module = rest[rest.findIndex((word) => !/^-[^m]/.test(word)) + 1];
    if (rest.find((word) => !/^-[^m]/.test(word)) === '-m' && module !== undefined)
      return { program, module, isRun: true, words, ...listening(rest) };
    const script = /\.py$/.test(program) ? words[0] : rest.find((word) => !word.startsWith('-'));
    return script === undefined || rest[0] === '-c'
      ? undefined
      : { program, script: script.replace(/^(\.\/)+/, ''), words, ...listening(rest) };
  }
  if (!Object.hasOwn(servers, program)) return undefined;
  if (program === 'fastapi' && rest[0] === 'dev') return undefined;
  const script = rest.find((word) => /^[\w./-]+\.py$/.test(word));
  const target = rest.find(
    (word, at) =>
      /^[A-Za-z_][\w./-]*:[A-Za-z_]\w*(?:\(.*\))?$/.test(word) &&
      !/^--?(?:bind|host|b|k|log.*)$/.test(rest[at - 1] ?? ''),
  );
  const plain =
    program === 'gunicorn'
      ? rest.find((word, at) => /^[A-Za-z_][\w.]*$/.test(word) && !/^-/.test(rest[at - 1] ?? ''))
      : undefined;
  const app = program === 'flask' ? flagOf(rest, '--app', '-A') : (target ?? plain);
  const [module, attribute = program === 'gunicorn' && target === undefined && plain ? 'application' : undefined] =
    app?.split(':') ?? [];
  return {
    program,
    words,
    ...(module !== undefined && { module }),
    ...(attribute !== undefined && { attribute: attribute.replace(/\(.*$/, '') }),
    ...(script !== undefined && module === undefined && { script: script.replace(/^(\.\/)+/, '') }),
    ...listening(rest),
    ...(program === 'streamlit' && { port: flagOf(rest, '--server.port') ?? '8501' }),
  };
}

function listening(words: readonly string[]): { host?: string; port?: string } {
  const bind = flagOf(words, '--bind', '-b', '--listen', '-bind')?.replace(/^\w+:\/\//, '');
  const [, bound, boundPort] = /^(?:(\[[^\]]*\]|[^:]*):)?([^:]*)$/.exec(bind ?? '') ?? [];
  const host = flagOf(words, '--host', '--server.address', '--address', '--server-name', '-h') ?? bound;
  const port =
    flagOf(words, '--port', '-p', '--server.port', '--http-port', '--http_port', '--server-port') ?? boundPort;
  return { ...(host && { host }), ...(port && { port }) };
}

/** Where a server listens if its command does not say it. */
export function listensBy(program: string): { host: string; port: string } | undefined {
  return Object.hasOwn(servers, program) ? servers[program] : undefined;
}
