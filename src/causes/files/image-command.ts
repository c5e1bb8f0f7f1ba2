import { posix } from 'node:path';
import { isPlainImage } from '../../app/docker-image.ts';
import { flagOf } from '../../app/shell.ts';
import { fits } from '../groups.ts';
import { packageScript } from './build-steps.ts';
import type { Packages } from './packages.ts';
import { lacksProgram } from './programs.ts';
import { noProgram, type SeenCause } from './seen-cause.ts';
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
  for (const each of shipment.started()) {
    const { words, cwd } = each;
    yield* startedProgram(docker, each, shipment, packages);
    const line = command.line;
    yield* packageScript(shipment, docker, { words, line, before: docker.stage, cwd });
  }
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
