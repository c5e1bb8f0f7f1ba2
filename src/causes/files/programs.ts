import { posix } from 'node:path';
import { isPlainImage } from '../../app/image-contents.ts';
import { type ImageState, isBelowOrSame } from '../../app/image-stage.ts';
import { closestName } from '../../kernel/closest-name.ts';
import { fits, groupsOf } from '../../kernel/groups.ts';
import { debianPackageOfProgram, pythonPackageOfProgram } from '../program-packages.ts';
import type { Look, LookedApp } from './looked-app.ts';
import type { Packages } from './packages.ts';
import { say } from './said.ts';
import type { SeenCause } from './seen-cause.ts';
import type { ImageStep } from './shipment.ts';

/** Packages of the system alone: no PATH leads to them. */
const inits = /^(?:tini|dumb-init|gosu)$/;

/** Programs that images lack unless a command installs them, and what helps. Those of a system lack it in any image. */
const absent: readonly (readonly [program: RegExp, image: RegExp, fix: string, isOfSystem?: boolean])[] = [
  [/^apt(?:-get)?$/, /alpine|fedora|centos|rockylinux|almalinux|amazonlinux/, 'use apk add --no-cache', true],
  [/^apk$/, /slim|bookworm|bullseye|trixie|buster|debian|ubuntu|jammy|noble|focal|fedora/, 'use apt-get', true],
  [
    /^(?:yum|dnf|microdnf)$/,
    /alpine|slim|bookworm|bullseye|debian|ubuntu/,
    'use the package manager of the image',
    true,
  ],
  [/^chromium-browser$/, /slim|bookworm|bullseye|trixie|debian/, 'write chromium: Debian has it by that name'],
  [/^(?:javac|mvn)$/, /[-:]jre\b|-jre\b/, 'build in an image with a JDK', true],
  [inits, /./, 'install it first: it is a package of the system'],
  [/^(?:bash|zsh)$/, /alpine/, 'write sh, or RUN apk add --no-cache bash'],
  [/^(?:git|curl|wget)$/, /slim/, 'install it first with apt-get'],
  [/^(?:git|curl)$/, /alpine/, 'install it first with apk'],
  [/^(?:pnpm|bun|bunx|deno)$/, /(?:^|\/)node:/, 'install it first: for pnpm, RUN corepack enable'],
  [/^(?:node|npm|npx|sh|bash)$/, /distroless\/nodejs/, 'the image starts Node itself: CMD ["server.js"]'],
  [/^(?:uvx?|poetry|pipenv|pdm)$/, /^(?!.*astral)/, 'install it first with pip'],
  [/^(?:python|pip)$/, /^(?:debian|ubuntu|nvidia\/cuda):/, 'write python3 or pip3, or install python-is-python3'],
];

/** Images of Debian and Ubuntu, with what they bring of the programs that have a package of their own there. */
const systems: readonly (readonly [image: RegExp, programs: RegExp])[] = [
  [/alpine|fedora|busybox|distroless|scratch|conda|mamba/, /./],
  [/(?:^|\/)python:/, /^(?:python3?|pip3?)$/],
  [/(?:^|\/)node:/, /^(?:node|npm|npx)$/],
  [/(?:^|\/)bun:/, /^node$/],
  [/(?:^|\/)golang:/, /^go$/],
  [/(?:^|\/)rust:/, /^(?:cargo|rustc)$/],
  [/temurin|openjdk/, /^java$/],
  [/cuda:.*devel/, /^(?:gcc|g\+\+|make)$/],
  [
    /(?:^|\/)(?:python|node|golang|rust|ruby|php):(?!.*slim)/,
    /^(?:aclocal|autoconf|bzip2|convert|curl|file|g\+\+|gcc|git|hg|identify|make|patch|pkg-config|ps|pkill|svn|ssh|unzip|wget|xz)$/,
  ],
  [/./, /^(?:free|gpg|gunzip|gzip|hostname|killall|openssl|pg_config|ping|ps|pkill|top)$/],
];

/** A program that nothing before has installed, or that is where the PATH does not look. */
export function lacksProgram(
  { words: [program = ''], before: image }: Pick<ImageStep, 'words' | 'before'>,
  { packages }: LookedApp,
): SeenCause | undefined {
  const facts = { command: program, base: image.base };
  const fix = certainFix(image, program);
  if (fix !== undefined) return say('command-not-found image', facts, { isCertain: true, fix });
  const debian = debianPackageOfProgram(program);
  return debian === undefined || mayHave(image, program, debian, packages)
    ? undefined
    : say('command-not-found image', facts, { fix: packages.aptFixOf(debian) });
}

/** Long names of programs: a word that is nearly one of them is a misspelling. */
const usualPrograms =
  'apt-get bundle bundler celery daphne fastapi gunicorn hypercorn python streamlit supervisord supervisorctl uvicorn waitress-serve vllm.entrypoints.openai.api_server vllm.entrypoints.api_server sglang.launch_server llama_cpp.server'.split(
    ' ',
  );

/** A command that begins with a misspelled program, or a module that is run as one. */
export const misspelledProgram: Look<{ words: readonly string[] }> = ({ words: [first = '', flag, module = ''] }) => {
  const program = flag === '-m' && module.includes('.') ? module : first;
  const isKnown = !/^[a-z][a-z-]{4,}$|\./.test(program) || usualPrograms.includes(program);
  const meant = isKnown ? undefined : closestName(program, usualPrograms);
  return meant === undefined ? undefined : say('command-not-found like', { command: program, meant });
};

/** Where the image surely has no such program. */
function certainFix(image: ImageState, program: string): string | undefined {
  if (/^uvx?$/.test(program) && isBesidePath(image)) return 'ENV PATH="/root/.local/bin:$PATH"';
  const [, , fix, isOfSystem] = absent.find(([one, base]) => one.test(program) && base.test(image.base)) ?? [];
  return isOfSystem || isBareOf(image, program) ? fix : undefined;
}

/** Whether nothing that is known may have brought it. */
const isBareOf = (image: ImageState, program: string) =>
  isPlainImage(image.base) &&
  !isInstalled(image, program) &&
  (!fits(/bin|[$](?!PATH|PNPM)/, image.environment.get('PATH')) || inits.test(program));

const mayHave = (image: ImageState, program: string, debian: string, packages: Packages) =>
  !isBareOf(image, program) ||
  systems.some(([base, programs]) => base.test(image.base) && programs.test(program)) ||
  packages.hasOthers ||
  packages.has(program) ||
  packages.has(debian) ||
  image.commands.some(({ words }) => bringsLike(words, debian));

/** uv, where its installer puts it: a folder that is not in the PATH of an image. Old versions used another one. */
function isBesidePath({ commands, environment }: ImageState): boolean {
  const texts = commands.map(({ words }) => words.join(' '));
  const isFound = [...texts, environment.get('PATH') ?? ''].some((text) =>
    /\.local\/bin|UV_INSTALL_DIR|XDG_BIN_HOME|install .*\buv\b/.test(text),
  );
  const isElsewhere = ['UV_INSTALL_DIR', 'XDG_BIN_HOME'].some((name) => environment.has(name));
  return !isFound && !isElsewhere && texts.some((text) => text.includes('astral.sh/uv/install.sh'));
}

/** What may bring any program. */
const bringsPrograms = /^(?:corepack|ln|update-alternatives|curl|wget|make|cp|mv|\S*\.sh)$/;

/** Whether a command may have brought it: a folder of the image may come first in the PATH, too. */
const isInstalled = ({ commands, others }: ImageState, program: string) =>
  others.some(({ path }) => posix.basename(path) === program || /^\/usr\/local$|\/s?bin$/.test(path)) ||
  commands.some(
    ({ words }) =>
      fits(bringsPrograms, words[0]) ||
      words.some(
        (word) =>
          word.split(/[[=<>~!]/)[0] === program ||
          word.startsWith(`${program}@`) ||
          word === `python3-${program}` ||
          /bin\/activate|virtualenv|conda|is-python3|build-essential/.test(word),
      ),
  );

/** Packages of nearly this name: `nodejs` for `node`, `openjdk-17-jre` for `default-jre`. */
const bringsLike = (words: readonly string[], debian: string) =>
  words.some((word) =>
    /^python/.test(debian)
      ? word === debian || /^apt|^python3-|ensurepip|get-pip|python-full|pip$/.test(word)
      : word.length > 3 && (word.startsWith(debian.slice(0, 4)) || debian.includes(word) || /jdk|jre/.test(word)),
  );

const finds = /venv|activate|\b(?:uv|poetry|pipenv|pdm|conda|mamba) run\b/;

/** A program of a virtual environment whose folder is not in the PATH. */
export function* lookAtStages({ shipment }: LookedApp): Generator<SeenCause> {
  const { path: file = '', stage } = shipment.dockerfile() ?? {};
  const [program = ''] = shipment.servers()[0]?.words ?? [];
  if (!stage || !isPlainImage(stage.base) || pythonPackageOfProgram(program) === undefined) return;
  const [home] = environmentsOf(stage);
  const path = stage.environment.get('PATH') ?? '';
  const texts = [...(stage.command?.words ?? []), ...shipment.startedFiles().map((each) => shipment.read(each))];
  const isFound =
    path.includes(`${home}/`) || path.includes('/envs/') || /\$(?!PATH)/.test(path) || finds.test(texts.join(' '));
  if (home === undefined || isFound || mayBring(stage, program)) return;
  const fix = fixesOfHomes[home];
  const at = { file, line: stage.command?.line };
  yield say('command-not-found path', { command: program, home }, { at, ...(fix && { fix }) });
}

/** Programs that packages of Ruby bring, and that nothing lists. */
export const gemMissing: Look<Pick<ImageStep, 'words' | 'before'>> = (
  { words: [program = ''], before },
  { shipment },
) => {
  const lists = [...before.files.values()].filter((path) => /(?:^|\/)Gemfile/.test(path)).map(shipment.read);
  const isGem = /^(?:puma|unicorn|thin|falcon|rackup|rails|sidekiq|foreman)$/.test(program) && lists.length > 0;
  return isGem && ![...lists, ...shipment.buildTexts()].some((text) => text.includes(program))
    ? say('command-not-found', { command: program, package: program }, { fix: `bundle add ${program}` })
    : undefined;
};

/** Whether something else may have brought a program. */
const mayBring = ({ commands, others }: ImageState, program: string) =>
  others.some(({ path }) => /^\/usr(?:\/local)?$|site-packages|\/bin$/.test(path)) ||
  commands.some(
    ({ words }) =>
      /^(?:uv )?pip install/.test(words.join(' ')) && ['-r', '.', program].some((each) => words.includes(each)),
  );

const homeOfPoetry = '/root/.cache/pypoetry/virtualenvs/…';
const homeOfConda = '/opt/conda/envs/…';

/** What helps, where the folder has a name that nobody knows. */
const fixesOfHomes: Readonly<Record<string, string>> = {
  [homeOfPoetry]: 'RUN poetry config virtualenvs.create false, before poetry install',
  [homeOfConda]: 'CMD ["conda", "run", "--no-capture-output", "-n", "…", …], with the name of the environment',
};

/** Where Poetry makes one, unless it is told otherwise. */
function ofPoetry(commands: ImageState['commands'], environment: ReadonlyMap<string, string>): string | undefined {
  const isTold =
    [...environment.keys()].some((name) => name.startsWith('POETRY_VIRTUALENVS')) ||
    commands.some(({ words }) => /^poetry config\b.*virtualenvs/.test(words.join(' ')));
  return isTold ? undefined : homeOfPoetry;
}

/** The folders of virtual environments that the commands of an image make, or that it has from another stage. */
function environmentsOf({ commands, others }: ImageState): string[] {
  const programs = commands.flatMap(({ words, cwd, before: { environment } }) => {
    const [made, folder] = groupsOf(
      /^(?:\S*python[\d.]* -m venv|virtualenv|uv (?:venv|sync))(?: ([^-\s]\S*))?/,
      words.join(' '),
    );
    const usual = made?.startsWith('uv') ? (environment.get('UV_PROJECT_ENVIRONMENT') ?? '.venv') : undefined;
    const ofTool = /^poetry install\b/.test(words.join(' ')) ? ofPoetry(commands, environment) : undefined;
    const isConda = /^(?:conda|mamba) (?:env )?create\b(?!.*(?:-p|--prefix)\b)/.test(words.join(' '));
    const place = folder ?? usual ?? (isConda ? homeOfConda : ofTool);
    return place === undefined ? [] : [posix.resolve(cwd, place)];
  });
  const copied = others.flatMap(({ path, from }) =>
    from
      ? environmentsOf(from.stage).flatMap((home) =>
          isBelowOrSame(home, from.path) ? posix.join(path, posix.relative(from.path, home)) : [],
        )
      : [],
  );
  return [...programs, ...copied];
}
