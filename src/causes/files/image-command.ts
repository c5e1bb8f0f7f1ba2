import { posix } from 'node:path';
import { flagOf } from '../../app/shell.ts';
import { fits } from '../groups.ts';
import { packageScript } from './build-steps.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Docker, Shipment, StartedCommand } from './shipment.ts';

/** What the image of a Dockerfile starts. */
export function* lookAtImageCommand(shipment: Shipment): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  if (!docker || shipment.config.custom?.entrypoint) return;
  yield* wordList(docker);
  for (const each of shipment.started()) {
    yield* startedProgram(docker, each, shipment);
    const line = docker.stage.command?.line ?? 1;
    yield* packageScript(shipment, docker, { words: each.words, line, before: docker.stage, cwd: each.cwd });
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

function* startedProgram(
  { path: file, stage }: Docker,
  { words, cwd, at }: StartedCommand,
  shipment: Shipment,
): Generator<SeenCause> {
  const [_program = ''] = words;
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
