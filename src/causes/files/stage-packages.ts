import { posix } from 'node:path';
import { type ImageState, isBelowOrSame, isPlainImage, type RunCommand } from '../../app/docker-image.ts';
import { flagOf } from '../../app/shell.ts';
import { fits, groupsOf } from '../groups.ts';
import { pythonPackageOfProgram } from '../program-packages.ts';
import { noProgram, type SeenCause } from './seen-cause.ts';
import type { Docker, Shipment } from './shipment.ts';

/** Packages of Python that one stage installs, and that the last one does not have, or does not find. */
export function* lookAtStages(shipment: Shipment): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  const started = shipment.servers()[0] ?? shipment.started().find(({ words: [program = ''] }) => isOfPackage(program));
  if (!docker || !started || !isPlainImage(docker.stage.base)) return;
  yield* notCopied(docker);
  yield* condaEnvironment(docker, shipment);
  yield* notInPath(docker, started.words, shipment);
  yield* editable(docker, shipment);
}

const installs =
  /^(?:\S*\/)?(?:pip[\d.]* install|python[\d.]* -m pip install|uv (?:sync|pip install)|(?:poetry|pdm|pipenv|conda|mamba|micromamba) (?:install|sync|env|create|update))\b/;

/** Folders of packages that a command makes or fills. */
function homeOf({ words, cwd, before }: RunCommand): string | undefined {
  const { environment } = before;
  const command = words.join(' ');
  const [, venv] =
    /^(?:\S*python[\d.]* -m venv|virtualenv|uv venv)(?: (?:-[^p]\S*|-p \S+|--python \S+))*(?: (\S+))?/.exec(command) ??
    [];
  const given = flagOf(words, '--target', '-t', '--prefix', '--root');
  if (venv !== undefined || given !== undefined) return posix.resolve(cwd, venv ?? given ?? '');
  if (/^uv (?:sync|venv)/.test(command))
    return posix.resolve(cwd, environment.get('UV_PROJECT_ENVIRONMENT') ?? '.venv');
  if (isOfPoetry({ words, before }) && /^poetry/.test(command)) return poetryHome;
  return installs.test(command) ? '/' : undefined;
}

const poetryHome = '/root/.cache/pypoetry';

/** Whether Poetry makes an environment of its own, which only `poetry run` finds. */
const isOfPoetry = ({ words, before: { environment, commands, base } }: Pick<RunCommand, 'words' | 'before'>) =>
  fits(/^(?:install|sync)$/, words[1]) &&
  isPlainImage(base) &&
  !['CREATE', 'IN_PROJECT', 'PATH'].some((name) => environment.has(`POETRY_VIRTUALENVS_${name}`)) &&
  !environment.has('VIRTUAL_ENV') &&
  !commands.some((each) => /virtualenvs|venv|poetry\.toml/.test(each.words.join(' ')));

const mayBePackages = /^\/$|^\/(?:usr|root|home|opt|lib)\b|packages|venv|\.local|python|conda|install|deps|wheel/;

/** Where an image has packages: `/` stands for a place that is not known. */
function homesOf({ commands, others }: ImageState): string[] {
  const own = commands.flatMap((each) => homeOf(each) ?? []);
  const known = own.filter((each) => each !== '/');
  const copied = others.flatMap(({ path, from }) =>
    from
      ? homesOf(from.stage).flatMap((home) => moved(home, from.path, path))
      : mayBePackages.test(path) && !/\/bin\/[\w-]+$/.test(path)
        ? '/'
        : [],
  );
  return [...(known.length > 0 ? known : own), ...copied];
}

/** The place of a folder after a COPY of it, of what is above it, or of a part of it. */
function moved(home: string, source: string, target: string): string[] {
  if (home === '/') return mayBePackages.test(source) ? ['/'] : [];
  if (isBelowOrSame(home, source)) return [posix.join(target, posix.relative(source, home))];
  return isBelowOrSame(source, home) ? [target] : [];
}

const isOfPackage = (program: string) => pythonPackageOfProgram(posix.basename(program)) !== undefined;

function* notCopied({ path: file, image, stage }: Docker): Generator<SeenCause> {
  const others = image.stages.filter((each) => each !== stage && homesOf(each).length > 0);
  const [home = ''] = others.flatMap(homesOf);
  if (home === '' || homesOf(stage).length > 0) return;
  yield {
    cause: 'module-missing',
    severity: 'error',
    at: { file, line: stage.command?.line },
    title: `the image has none of the packages that ${file} installs: its last stage does not copy ${home === '/' ? 'them' : home}`,
    fix: `COPY --from=${others[0]?.name || 0} ${home === '/' ? '/usr/local /usr/local' : `${home} ${home}`}`,
  };
}

/** An environment of conda that the start names, and that no command makes by this name. */
function* condaEnvironment({ path: file, stage }: Docker, shipment: Shipment): Generator<SeenCause> {
  const names = environmentsMade(stage, shipment);
  const { words = [], line } = stage.command ?? {};
  const start = [stage.environment.get('PATH') ?? '', ...words].join(' ');
  const [, run, wanted = run] = groupsOf(
    /(?:conda|mamba) run\b.*? (?:-n|--name)[ =](\S+)|\/envs\/([\w.-]+)\/bin/,
    start,
  );
  const [own = ''] = names;
  const [program = ''] = words;
  if (own === '' || [...names, 'base'].includes(wanted ?? '') || !(wanted ?? isOfPackage(program))) return;
  const missing = noProgram(
    program,
    { file, line },
    `it is in the environment ${own} of conda`,
    `start it with conda run --no-capture-output -n ${own}`,
  );
  yield wanted === undefined
    ? missing
    : { ...missing, cause: 'conda-environment-missing', severity: 'error', captured: { name: wanted } };
}

/** The names of the environments of conda; empty for one that is not known. */
function environmentsMade({ commands }: ImageState, shipment: Shipment): string[] {
  const made = commands.filter(({ words }) => /^(?:micro)?(?:conda|mamba) (?:env )?create\b/.test(words.join(' ')));
  return made.map(({ words, cwd, before }) => {
    const file = before.files.get(posix.resolve(cwd, flagOf(words, '-f', '--file') ?? ''));
    return flagOf(words, '-n', '--name') ?? /^name:\s*["']?([\w.-]+)/m.exec(shipment.read(file ?? ''))?.[1] ?? '';
  });
}

const findsItself = /venv|activate|\b(?:uv|poetry|pipenv|pdm) run\b/;

/** Programs of a virtual environment whose folder is not in the PATH. */
function* notInPath(
  { path: file, stage }: Docker,
  [program = '']: readonly string[],
  shipment: Shipment,
): Generator<SeenCause> {
  const [home, ...others] = homesOf(stage);
  if (home === undefined || !isOfPackage(program) || isFound([home, ...others], program, stage)) return;
  const texts = [...(stage.command?.words ?? []), ...shipment.startedFiles().map((each) => shipment.read(each))];
  if (findsItself.test(texts.join(' '))) return;
  const [why, fix] =
    home === poetryHome
      ? [
          'Poetry installs it into an environment of its own',
          'write poetry config virtualenvs.create false before poetry install, or start it with poetry run',
        ]
      : [`it is in ${home}/bin, where the PATH does not look`, `ENV PATH="${home}/bin:$PATH"`];
  yield noProgram(program, { file, line: stage.command?.line }, why, fix);
}

/** Whether the PATH has it, or a command installs it by its name. */
function isFound(homes: readonly string[], program: string, { environment, commands }: ImageState): boolean {
  const path = `${environment.get('PATH') ?? ''}:/usr/local/bin:/usr/bin`;
  const isNamed = commands.some(({ words }) => words.some((word) => word.split(/[[=<>~]/)[0] === program));
  const isInPath = homes.some((home) => /^\/$|\$/.test(home) || path.includes(`${home}/`));
  return isNamed || isInPath || /\$\{?VIRTUAL_ENV/.test(path) || program.includes('/');
}

/** A project that another stage installs by the place of its sources. */
function* editable({ path: file, image, stage }: Docker, shipment: Shipment): Generator<SeenCause> {
  const steps = image.stages.flatMap(({ commands }) => commands).filter((each) => !stage.commands.includes(each));
  const step = steps.find(
    ({ words, before }) => isEditable(words.join(' ')) && !before.environment.has('UV_NO_EDITABLE'),
  );
  const project = shipment.read(step?.before.files.get(posix.join(step.cwd, 'pyproject.toml')) ?? '');
  if (!step || !/^\[build-system\]/m.test(project) || homesOf(stage).every((each) => each === '/')) return;
  const isThere = [...stage.files.keys(), ...stage.others.map(({ path }) => path)].some(
    (path) => /\.py$|\/[^.]+$/.test(path) && isBelowOrSame(path, step.cwd) && !/venv/.test(path),
  );
  if (isThere) return;
  yield {
    cause: 'module-missing',
    severity: 'error',
    at: { file, line: step.line },
    title: `the packages only point to the sources in ${step.cwd}, which the last stage does not have`,
    fix: `add --no-editable, or copy the sources to ${step.cwd}`,
  };
}

const isEditable = (command: string) =>
  /^uv sync\b(?!.*--no-(?:editable|install-project|install-workspace))|^(?:uv )?pip[\d.]* install .*(?:-e|--editable) \.(?: |$)/.test(
    command,
  );
