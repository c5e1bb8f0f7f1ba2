import { posix } from 'node:path';
import { isPlainImage } from '../../app/docker-image.ts';
import { shellCommands } from '../../app/shell.ts';
import type { CausePlace, SeenCause } from './seen-cause.ts';
import type { Docker, Shipment } from './shipment.ts';

/** What only bash knows, at the start of a command. */
const ofBash: readonly (readonly [line: RegExp, what: string])[] = [
  [/^\s*(?:(?:if|elif|while|until|!)\s+)*\[\[\s/, '[['],
  [/^\s*set\s.*\bpipefail\b/, 'set -o pipefail'],
  [/^\s*source\s+\S/, 'source'],
  [/^\s*(?:pushd|popd|shopt|declare)\s/, 'pushd, popd, shopt and declare'],
  [/^\s*\w+\+?=\(/, 'lists'],
  [/^\s*function\s+[\w-]+/, 'function'],
  [/^[^#"']*<<<\s*\S/, '<<<'],
];

/** Other systems have another sh. */
const otherShell = /alpine|busybox|fedora|rocky|alma|centos|amazon|mamba|nix|distroless|scratch/;

/** What sh of Debian and Ubuntu does not know, in scripts that it runs and in RUN. */
export function* lookAtShells(shipment: Shipment): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  const base = docker?.stage.base ?? shipment.config.deployment.docker_base_image_url ?? 'debian:';
  if (docker) yield* inInstructions(docker);
  if (!isPlainImage(base) || otherShell.test(base)) return;
  const commands = (docker?.stage.command?.words ?? shipment.config.custom?.entrypoint ?? []).join(' ');
  for (const file of shipment.startedFiles()) {
    const text = shipment.read(file);
    const name = posix.basename(file).replace(/\W/g, '\\$&');
    const isOfSh = /^#!\s*\/(?:usr\/)?bin\/(?:env )?sh\b/.test(text) && !/\bbash\b/.test(commands);
    if (isOfSh || new RegExp(`(?:^|[ /])sh (?:\\S*/)?${name}`).test(commands)) yield* inLines(file, text);
  }
}

function* inLines(file: string, text: string): Generator<SeenCause> {
  for (const [at, line] of text.split('\n').entries()) {
    const [, what] = ofBash.find(([pattern]) => pattern.test(line)) ?? [];
    if (what !== undefined) {
      yield unknownTo(`${file} is run by sh`, what, { file, line: at + 1 });
      return;
    }
  }
}

function* inInstructions({ path: file, image }: Docker): Generator<SeenCause> {
  const bases = image.stages.flatMap(({ base, commands }) => commands.map(({ line }) => [line, base] as const));
  const lines = new Set(bases.flatMap(([line, base]) => (isPlainImage(base) && !otherShell.test(base) ? line : [])));
  if (image.instructions.some(({ keyword }) => keyword === 'SHELL')) return;
  for (const { text, heredocs, line } of image.instructions.filter((each) => lines.has(each.line))) {
    const isPlain = heredocs.length === 0 && !text.startsWith('[');
    const commands = isPlain ? shellCommands(text).map(({ words }) => `${words.join(' ')} `) : [];
    const [, what] = ofBash.slice(0, 4).find(([pattern]) => commands.some((each) => pattern.test(each))) ?? [];
    if (what !== undefined) yield unknownTo('RUN is run by sh', what, { file, line });
  }
}

const unknownTo = (start: string, what: string, at: CausePlace): SeenCause => ({
  cause: 'shell-syntax-error',
  severity: 'error',
  at,
  title: `${start}, which does not know ${what}: only bash does`,
  fix: at.file?.endsWith('.sh')
    ? 'start it with bash, or write it for sh'
    : 'write SHELL ["/bin/bash", "-c"] above it, or write it for sh',
});
