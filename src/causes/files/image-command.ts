import { posix } from 'node:path';
import type { Stage } from '../../app/docker-image.ts';
import { flagOf } from '../../app/shell.ts';
import { fits } from '../groups.ts';
import { packageScript } from './build-steps.ts';
import type { Packages } from './packages.ts';
import { lacksProgram } from './programs.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Docker, Shipment, StartedCommand } from './shipment.ts';
import { toolVersion } from './tool-versions.ts';

/** What the image of a Dockerfile starts. */
export function* lookAtImageCommand(shipment: Shipment, packages: Packages): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  if (!docker || shipment.config.custom?.entrypoint) return;
  yield* wordList(docker);
  const at = { file: docker.path, line: docker.stage.command?.line };
  for (const [fails, title, fix] of forms)
    if (fails(docker.stage))
      yield { cause: 'entrypoint-invalid', severity: 'error', at, title: title(docker.stage), fix };
  for (const each of shipment.started()) {
    yield* startedProgram(docker, each, shipment);
    const found = lacksProgram(docker.stage, each.words[0] ?? '', packages, each.at);
    if (found) yield found;
    const step = { words: each.words, line: at.line ?? 1, before: docker.stage, cwd: each.cwd };
    yield* packageScript(shipment, docker, step);
    yield* toolVersion(shipment, docker, step);
  }
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

const serving = /vllm\/vllm-openai|text-(?:generation|embeddings)-inference|ollama\/ollama/;
const isProgram = /^(?:(?:ba)?sh|python3?|uvicorn|\S+\.sh)$/;
const shellPlace = /busybox|\/(?:s?bin|sh)$/;
const formOf = ({ entrypoint }: Stage) => (entrypoint ? 'ENTRYPOINT' : 'CMD');

/** Commands that an image cannot start as they are written: what is wrong with them, and what helps. */
const forms: readonly (readonly [
  fails: (stage: Stage) => boolean | undefined,
  title: (stage: Stage) => string,
  fix: string,
])[] = [
  [
    ({ command, base, others }) =>
      command?.isShell &&
      /^scratch$|distroless\/(?!.*debug)/.test(base) &&
      !others.some(({ path }) => shellPlace.test(path)),
    (stage) => `${formOf(stage)} is the text of a shell command, and ${stage.base} has no shell`,
    'write a list of words: ["/app", "--flag"]',
  ],
  [
    ({ command }) => command?.isShell === false && command.words.length === 1 && fits(/^\S+ +\S/, command.words[0]),
    (stage) => `${formOf(stage)} is a list of one word that contains spaces: no program has that name`,
    'write each word of it in quotes of its own',
  ],
  [
    ({ entrypoint, cmd, base }) =>
      !entrypoint && serving.test(base) && cmd?.isShell === false && fits(isProgram, cmd.words[0]),
    ({ base }) => `${base} has an ENTRYPOINT of its own, which takes CMD for its flags`,
    'write ENTRYPOINT instead of CMD',
  ],
];

function* startedProgram(
  { path: file, stage }: Docker,
  { words, cwd, at }: StartedCommand,
  shipment: Shipment,
): Generator<SeenCause> {
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
}

/** Of a file that a command runs, if it surely is one. */
function startedPath(words: readonly string[], cwd: string): string | undefined {
  const [program = ''] = words;
  const script = program.startsWith('[') ? undefined : scriptOf(words);
  const isPath = script === program ? program.includes('/') : fits(/^[\w./-]+\.\w+$/, script);
  return isPath ? posix.resolve(cwd, script ?? '') : undefined;
}

const runners = /^(?:(?:ba|da|z)?sh|python[\d.]*|ruby|php|node|bun)$/;

/** The file that a command runs; of a runner with other flags, it is not known. */
function scriptOf([program = '', ...rest]: readonly string[]): string | undefined {
  if (program === 'java') return flagOf(rest, '-jar');
  const [first] = rest.filter((word) => !/^-[uOBIxe]+$/.test(word));
  return runners.test(program) ? first : program;
}
