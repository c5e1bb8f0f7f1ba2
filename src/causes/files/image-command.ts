import { posix } from 'node:path';
import { isPlainImage } from '../../app/docker-image.ts';
import { flagOf } from '../../app/shell.ts';
import { fits, groupsOf } from '../groups.ts';
import { packageScript } from './build-steps.ts';
import type { Packages } from './packages.ts';
import { lacksProgram } from './programs.ts';
import { type CausePlace, noProgram, type SeenCause } from './seen-cause.ts';
import type { Docker, Shipment, StartedCommand } from './shipment.ts';

/** What the image of a Dockerfile starts. */
export function* lookAtImageCommand(shipment: Shipment, packages: Packages): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  if (!docker || shipment.config.custom?.entrypoint) return;
  const { command } = docker.stage;
  if (!command) {
    yield* withoutCommand(docker);
    return;
  }
  yield* wordList(docker);
  yield* interpreter(docker, packages);
  yield* unknownUser(docker);
  yield* namedPrograms(docker, packages);
  for (const each of shipment.started()) {
    const { words, at, cwd } = each;
    yield* startedProgram(docker, each, shipment, packages);
    yield* goesToBackground(docker, words, at, shipment);
    const line = command.line;
    yield* packageScript(shipment, docker, { words, line, before: docker.stage, cwd });
  }
  yield* interpreters(shipment, docker);
}

/** What runs the rest of the command, which is looked at below: Python, a shell, an init. */
function* interpreter({ path: file, stage }: Docker, packages: Packages): Generator<SeenCause> {
  const { words = [], isShell, line } = stage.command ?? {};
  const program = posix.basename((isShell ? words[0]?.split(' ') : words)?.[0] ?? '');
  const isThere = [...stage.files.keys(), ...stage.others.map(({ path }) => path)].some(
    (path) => posix.basename(path) === program,
  );
  const hasNoShell = isShell && /distroless(?!.*debug)|^scratch$/.test(stage.base);
  const at = { file, line };
  if (hasNoShell)
    yield noProgram('sh', at, `the image ${stage.base} has no sh`, 'write the command as a list of words');
  else if (/^(?:python|bash|zsh|tini|dumb-init|gosu)$/.test(program) && !isThere)
    yield* notStarted(stage, program, packages, at);
}

function* withoutCommand({ path: file, image, stage }: Docker): Generator<SeenCause> {
  if (!isPlainImage(stage.base)) return;
  const at = { file, line: image.instructions.at(-1)?.line };
  yield { cause: 'image-without-command', at };
}

/** Programs that variables of the image name by their path: `CHROME_BIN=/usr/bin/chromium`. */
function* namedPrograms({ path: file, image, stage }: Docker, packages: Packages): Generator<SeenCause> {
  for (const [name, value] of stage.environment) {
    const [, command = ''] = groupsOf(/^\/usr\/bin\/([\w.-]+)$/, value);
    const line = image.instructions.findLast(({ text }) => text.includes(`${name}=`))?.line;
    for (const found of command === '' ? [] : notStarted(stage, command, packages, { file, line }))
      yield { ...found, why: `${name} names it, and ${found.why}` };
  }
}

/** Users that images have without a command. */
const usualUsers = /^(?:\d|(?:root|nobody|daemon|www-data|node|bun|deno|mambauser|nonroot|gradle)$|\$)/;

function* unknownUser({ path: file, image, stage: { user, base, commands } }: Docker): Generator<SeenCause> {
  const [name = ''] = (user ?? '').split(':');
  const isMade = commands.some(({ words }) =>
    words.some((word) => word.includes(name) || (fits(/user/, words[0]) && /\$/.test(word))),
  );
  if (name === '' || usualUsers.test(name) || !isPlainImage(base) || isMade) return;
  const line = image.instructions.findLast(({ keyword }) => keyword === 'USER')?.line;
  yield { cause: 'user-missing', severity: 'error', captured: { user: name }, at: { file, line } };
}

/** A list of words that is no JSON, and a variable in one, which only a shell replaces. */
function* wordList({ path: file, stage: { command, cmd } }: Docker): Generator<SeenCause> {
  const { words = [], line, isShell } = (cmd?.isShell ? cmd : command) ?? {};
  const [program = ''] = words;
  const at = { file, line };
  if (isShell && /^\s*\[/.test(program))
    yield {
      cause: 'dockerfile-invalid',
      severity: 'error',
      captured: { problem: 'the list of CMD is no JSON' },
      at,
      why: 'it is run as the text of a shell command; JSON has double quotes',
      fix: 'write the words in double quotes',
    };
  const hasShell = isShell || /^(?:\S*\/)?(?:ba|da)?sh$/.test(program);
  const [, variable] = (!hasShell && /(?:^|[\s:=])\$\{?(\w+)/.exec(words.join(' '))) || [];
  if (variable !== undefined)
    yield {
      cause: 'port-invalid',
      at,
      title: `CMD has $${variable}, which is not replaced in a list of words`,
      fix: `write the value, or CMD ["sh", "-c", "exec …"]`,
    };
}

/** Programs that leave the foreground unless they are told not to: by a word, or by a line of their settings. */
const daemons: readonly { program: string; stays: RegExp; says: RegExp; fix: string }[] = [
  { program: 'nginx', stays: /daemon off/, says: /^\s*daemon\s+off/m, fix: 'CMD ["nginx", "-g", "daemon off;"]' },
  {
    program: 'supervisord',
    stays: /(?:^| )(?:-n|--nodaemon)(?: |$)/,
    says: /^\s*nodaemon\s*=\s*(?:true|1|yes|on)/im,
    fix: 'write nodaemon=true below [supervisord], or start it with -n',
  },
];

/** Of the last command: others may go there, so that it is reached. */
function* goesToBackground(
  { stage }: Docker,
  words: readonly string[],
  at: CausePlace | undefined,
  shipment: Shipment,
): Generator<SeenCause> {
  const daemon = daemons.find(({ program }) => program === words[0]);
  const first = shipment.started().find((each) => each.words === words);
  if (!daemon || daemon.stays.test(words.join(' ')) || first !== shipment.started()[0]) return;
  const texts = [...stage.files.values()].filter((file) => /\.conf$/.test(file)).map((file) => shipment.read(file));
  const isOwn = isPlainImage(stage.base) || /^nginx(?::|$)/.test(stage.base);
  if (!isOwn || texts.some((text) => daemon.says.test(text))) return;
  yield {
    cause: 'app-exited',
    at,
    title: `${daemon.program} goes to the background, and the container ends with its command`,
    fix: daemon.fix,
  };
}

function* startedProgram(
  { path: file, stage }: Docker,
  { words, cwd, at }: StartedCommand,
  shipment: Shipment,
  packages: Packages,
): Generator<SeenCause> {
  const [program = ''] = words;
  const path = startedPath(words, cwd);
  if (path !== undefined && !/^\/(?:usr\/)?s?bin\//.test(path) && shipment.lacks(stage, path)) {
    const same = [...stage.files.keys(), ...stage.others.map((each) => each.path)].find(
      (each) => posix.basename(each) === posix.basename(path),
    );
    yield {
      cause: 'entrypoint-not-found',
      severity: 'error',
      at: at ?? { file },
      title: `${path} is started, which is not in the image`,
      why: same && `the image has ${same}`,
      fix: same ? `start ${same}` : `copy it in ${file}`,
    };
  }
  yield* notStarted(stage, program, packages, at ?? { file });
}

/** Of a file that a command runs, if it surely is one. */
function startedPath(words: readonly string[], cwd: string): string | undefined {
  const [program = ''] = words;
  const script = program.startsWith('[') ? undefined : scriptOf(words);
  const isPath = script === program ? program.includes('/') : fits(/^[\w./-]+\.\w+$/, script);
  return isPath ? posix.resolve(cwd, script ?? '') : undefined;
}

/** A program that the image lacks: what starts it may be another one. */
function* notStarted(...of: Parameters<typeof lacksProgram>): Generator<SeenCause> {
  const found = lacksProgram(...of);
  if (found) yield { ...found, severity: 'warning' };
}

/** Programs that run a file, and their flags that have a value or run something else. */
const runners: readonly (readonly [program: RegExp, valued: RegExp, other?: RegExp])[] = [
  [/^(?:(?:ba|da|z)?sh|python[\d.]*|ruby|php)$/, /^-[WX]$/, /^-(?:\w*c$|[em])/],
  [/^(?:node|bun)$/, /^(?:-r|--require|--import|--loader|--experimental-loader|-C)$/, /^(?:-e|-p|--eval|--print|run)$/],
];

/** The file that a command runs: of `java`, the archive. */
function scriptOf(words: readonly string[]): string | undefined {
  const [program = '', ...rest] = words;
  if (program === 'java') return flagOf(words, '-jar');
  if (/^(?:puma|rackup|unicorn|thin)$/.test(program)) return rest.find((word) => word.endsWith('.ru'));
  if (/^(?:streamlit|chainlit)$/.test(program)) return rest.find((word) => word.endsWith('.py'));
  const [, valued, other] = runners.find(([each]) => each.test(program)) ?? [];
  if (!valued) return program;
  if (other && rest.some((word, at) => other.test(word) && rest.slice(0, at).every((each) => each.startsWith('-'))))
    return undefined;
  return rest.find((word, at) => !word.startsWith('-') && !fits(valued, rest[at - 1]));
}

const lacksShell = ({ base, commands }: Docker['stage'], shell: string) =>
  isPlainImage(base) &&
  (shell !== 'bash' || base.includes('alpine')) &&
  !commands.some(({ words }) => words.includes(shell));

/** The programs that scripts of the image ask for in their first line. */
function* interpreters(shipment: Shipment, { path: file, stage }: Docker): Generator<SeenCause> {
  for (const own of shipment.startedFiles()) {
    const [, shell] = groupsOf(/^#!\s*(?:\/\S*\/)?(?:env\s+)?(bash|zsh|fish)\b/, shipment.read(own));
    if (shell === undefined || !lacksShell(stage, shell)) continue;
    const fix = `write #!/bin/sh, or install ${shell} in ${file}`;
    yield {
      ...noProgram(shell, { file: own, line: 1 }, `the image ${stage.base} has no ${shell}`, fix),
      severity: 'error',
    };
  }
}
