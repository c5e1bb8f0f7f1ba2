import { posix } from 'node:path';
import { parseArgsStringToArgv } from 'string-argv';
import { groupsOf } from '../kernel/groups.ts';

/** A command of a script, an entrypoint or a Dockerfile, without what only wraps it. */
export interface ShellCommand {
  words: readonly string[];
  /** From 1, in its script. */
  line: number;
}

type AssignedVariable = readonly [name: string, value: string];

interface ScriptCommand extends ShellCommand {
  /** Variables that are set for it alone; without words, for what follows, as `$NAME` where only a condition sets one. */
  assigned: AssignedVariable[];
}

/** The commands of a script, in order. Those that expand variables keep them as they are written. */
export const shellCommands = (script: string): ScriptCommand[] =>
  [...shellLines(script)].filter(({ words }) => words.length > 0);

/** The commands of a script, and what only sets variables, which has no words. */
export function* shellLines(script: string): Generator<ScriptCommand> {
  for (const { text, line } of joinedLines(script)) {
    const inner = [...text.matchAll(/\$\(([^()]+)\)|`([^`]+)`/g)].map(([, own, old = '']) => own ?? old);
    for (const part of [...inner, text].flatMap(splitCommands)) {
      const given = parseArgsStringToArgv(part);
      const words = unwrapped(given);
      const assigned = assignedIn(given);
      const isKnown = words.length > 0 || text.startsWith(`${assigned[0]?.[0]}=`);
      yield { words, line, assigned: assigned.map(([name, value]) => [name, isKnown ? value : `$${name}`]) };
    }
  }
}

/** The lines of a script, without comments, each with those that continue it and the number of its last one. */
function* joinedLines(script: string): Generator<{ text: string; line: number }> {
  let pending = '';
  for (const [at, text] of script.split(/\r?\n/).entries()) {
    if (pending === '' && /^\s*(?:#|$)/.test(text)) continue;
    pending += text.replace(/\\$/, ' ');
    if (text.endsWith('\\')) continue;
    yield { text: pending, line: at + 1 };
    pending = '';
  }
}

/** At `&&`, `||`, `;` and `|`, but for those in quotes. */
function splitCommands(line: string): string[] {
  const parts = [''];
  for (const [part] of line.matchAll(/"(?:\\.|[^"\\])*"|'[^']*'|[<>]&|&>|&&|\|\|?|;|&(?=\s|$)|\s#.*|\\.|[\s\S]/g)) {
    if (/^(?:&&|\|\|?|;|&)$/.test(part)) parts.push('');
    else if (!/^\s#/.test(part)) parts[parts.length - 1] += part;
  }
  return parts;
}

/** Programs that run another one, by their first words, and their flags that have a value. */
const wrappers: readonly (readonly [wrapper: RegExp, words: number, valued: RegExp])[] = [
  [/^(?:exec|nohup|time|sudo|env|command|then|do|else|if|ddtrace-run|opentelemetry-instrument)$/, 1, /^-[gu]$/],
  [/^(?:\S*\/)?(?:tini|dumb-init|xvfb-run)$/, 1, /^-p$/],
  [/^(?:poetry|uv|pipenv|pdm|hatch) run$|^bundle exec$/, 2, /^-p$/],
  [/^(?:micromamba|conda|mamba) run$/, 2, /^(?:-n|-p|--name|--prefix)$/],
];

/** Without variables that are set for it, and programs that only run it. */
export function unwrapped(words: readonly string[]): readonly string[] {
  const given = withModule(words);
  const [first = '', second = ''] = given;
  if (/^\w+=/.test(first)) return unwrapped(given.slice(1));
  const wrapper = wrappers.find(([start, words]) => start.test(words === 1 ? first : `${first} ${second}`));
  if (wrapper) return unwrapped(withoutFlags(given.slice(wrapper[1]), wrapper[2]));
  const [flag, ...module] = pythonStart(given);
  return isModuleFlag(flag) && servers.has(module[0] ?? '') ? module : given;
}

/** `python -m pip` for `python -mpip`. */
const withModule = (words: readonly string[]) =>
  words.some(isPython) ? words.flatMap((word) => word.split(/(?<=^-[bBdEIOPqRsSuvx]*m)(?=[A-Za-z_])/)) : words;

/** `A=1` of `env A=1 python main.py`. */
export function assignedIn(words: readonly string[]): AssignedVariable[] {
  const given = withModule(words);
  const before = given.slice(0, given.length - unwrapped(given).length);
  return before.flatMap((word) => {
    const [, name, value = ''] = groupsOf(/^(\w+)=(.*)$/s, word);
    return name === undefined ? [] : [[name, value]];
  });
}

function withoutFlags(words: readonly string[], valued: RegExp, end = /^$/): readonly string[] {
  let at = 0;
  while (words[at]?.startsWith('-') && !end.test(words[at] ?? '')) at += valued.test(words[at] ?? '') ? 2 : 1;
  return words.slice(at);
}

/** Flags of servers and workers without a value. */
const switches = [
  'D R d q r v access-log access-logs auto-reload burst call capture-output casefold-http-method check check-config daemon',
  'date-header debug dev disable-redirect-access-to-syslog do-handshake-on-connect enable-stdio-inheritance factory fast',
  'help initgroups log log-syslog pdb preload print-config proxy-headers proxy-protocol quiet reload',
  'respawn-failed-workers reuse-port server-header single-process skip-logging spew strip-header-spaces',
  'suppress-ragged-eofs use-colors use-spawn verbose version watch-use-polling ws',
].flatMap((line) => line.split(' '));

/** Flags that have a value in the word that follows. Most programs have so many that theirs are all but the switches. */
const valuedFlags: readonly (readonly [program: RegExp, flags: RegExp])[] = [
  [/^python[\d.]*$/, /^(?:-[a-zA-Z]*[WX]|--check-hash-based-pycs)$/],
  [/^chainlit$/, /^(?:-p|--(?:host|port|root-path))$/],
  [/./, new RegExp(`^(?!--no-|--permit-|--?(?:${switches.join('|')})$)`)],
];

const valuedOf = (program: string) => valuedFlags.find(([names]) => names.test(program))?.[1] ?? /^$/;

/** The words that are neither flags nor values of these. */
function operandsOf(program: string, rest: readonly string[]): readonly string[] {
  const valued = valuedOf(program);
  const isFlag = (word = '') => word.startsWith('-');
  const takesNext = (word = '') => isFlag(word) && !word.includes('=') && valued.test(word);
  return rest.filter((word, at) => !isFlag(word) && !takesNext(rest[at - 1]));
}

const isPython = (program = '') => /^python[\d.]*$/.test(posix.basename(program));

const isModuleFlag = (flag = '') => /^-[a-zA-Z]*m$/.test(flag);

/** What Python runs, with what follows it: `-m app.main`, `-c CODE` or a script. Empty for another program. */
function pythonStart([program = '', ...rest]: readonly string[]): readonly string[] {
  return isPython(program) ? withoutFlags(rest, valuedOf(posix.basename(program)), /^-[a-zA-Z]*[cm]$/) : [];
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

export interface Server {
  program: string;
  module?: string;
  attribute?: string;
  /** Whether the module is run as a program: `python -m app`. */
  isRun?: true;
  script?: string;
  /** Where it listens: undefined if the command does not say. */
  port?: string;
  host?: string;
  words: readonly string[];
}

/** Servers, by where they listen if nothing says it. */
const addresses = {
  '127.0.0.1:8000': 'uvicorn gunicorn hypercorn daphne granian llama_cpp.server sanic litestar chainlit',
  '127.0.0.1:5000': 'flask',
  '0.0.0.0:8000': 'fastapi vllm',
  '0.0.0.0:8080': 'waitress-serve',
  '0.0.0.0:8501': 'streamlit',
  '0.0.0.0:3000': 'bentoml',
};

const servers = new Map(
  Object.entries(addresses).flatMap(([address, names]) => {
    const [host = '', port = ''] = address.split(':');
    return names.split(' ').map((name) => [name, { host, port }] as const);
  }),
);

/** Undefined for a command that starts no server that is known, and no Python file. */
export function serverOf(words: readonly string[]): Server | undefined {
  const program = posix.basename(words[0] ?? '');
  if (isPython(program) || program.endsWith('.py')) return pythonOf(program, words);
  const worker = workers[program]?.(words.slice(1));
  if (worker !== undefined) return { program, words, ...moduleAndAttribute(worker) };
  if (!servers.has(program) || (program === 'fastapi' && words[1] === 'dev')) return undefined;
  const rest = words.slice(1);
  const server = { program, words, ...listening(rest) };
  const app = appOf(program, rest);
  if (app !== undefined) return { ...server, ...app };
  const script = operandsOf(program, rest).find((word) => /^[\w./-]+\.py$/.test(word));
  return script === undefined ? server : { ...server, script: script.replace(/^(\.\/)+/, '') };
}

/** Programs that load a module and serve no calls, by their words: `mailer.worker.WorkerSettings`. */
const workers: Readonly<Record<string, (rest: readonly string[]) => string | undefined>> = {
  celery: (rest) => flagOf(rest, '-A', '--app'),
  arq: (rest) => operandsOf('arq', rest)[0]?.replace(/\.(\w+)$/, ':$1'),
  dramatiq: (rest) => operandsOf('dramatiq', rest).find((word) => /^[A-Za-z_][\w.]*$/.test(word)),
};

function moduleAndAttribute(target: string): Pick<Server, 'module' | 'attribute'> {
  const [module = '', attribute] = target.split(':');
  return { module, ...(attribute !== undefined && { attribute: attribute.replace(/\(.*$/, '') }) };
}

function pythonOf(program: string, words: readonly string[]): Server | undefined {
  const rest = words.slice(1);
  const [first, module] = isPython(program) ? pythonStart(words) : words;
  if (isModuleFlag(first) && module !== undefined) return { program, module, isRun: true, words, ...listening(rest) };
  if (first === undefined || first.startsWith('-')) return undefined;
  return { program, script: first.replace(/^(\.\/)+/, ''), words, ...listening(rest) };
}

function appOf(program: string, rest: readonly string[]): Pick<Server, 'module' | 'attribute'> | undefined {
  const operands = operandsOf(program, rest);
  const target = /^(?:flask|litestar)$/.test(program)
    ? flagOf(rest, '--app', '-A')
    : operands.find((word) => /^[A-Za-z_][\w./-]*:[A-Za-z_]\w*(?:\(.*\))?$/.test(word));
  if (target !== undefined) return moduleAndAttribute(target);
  if (program !== 'gunicorn') return undefined;
  const plain = operands.find((word) => /^[A-Za-z_][\w.]*$/.test(word));
  return plain === undefined ? undefined : { module: plain, attribute: 'application' };
}

function listening(words: readonly string[]): { host?: string; port?: string } {
  const bind = flagOf(words, '--bind', '-b', '--listen', '-bind')?.replace(/^\w+:\/\//, '');
  const [, bound, boundPort] = groupsOf(/^(\[[^\]]*\]|[^:]*)(?::(.*))?$/, bind?.replace(/^\d+$/, ':$&') ?? '');
  const host =
    flagOf(words, '--host', '--server.address', '--address', '--server-name', '-h') ??
    (bound === '' && boundPort ? '0.0.0.0' : bound);
  const port =
    flagOf(words, '--port', '-p', '--server.port', '--http-port', '--http_port', '--server-port') ?? boundPort;
  return { ...(host && { host }), ...(port && { port }) };
}

/** Where a server listens if its command does not say it. */
export function listensBy(program: string): { host: string; port: string } | undefined {
  return servers.get(program);
}
