import { posix } from 'node:path';
import { type Copy, contextPath, type DockerImage, type Stage, sourceFiles } from '../../app/docker-image.ts';
import { closestName } from '../../app/toml/closest-name.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

const keywords =
  'FROM ARG ENV RUN COPY ADD CMD ENTRYPOINT WORKDIR EXPOSE USER LABEL VOLUME SHELL HEALTHCHECK ONBUILD STOPSIGNAL MAINTAINER'.split(
    ' ',
  );

/** What the builder will refuse, and what the image will lack. */
export function* lookAtDockerfile(shipment: Shipment): Generator<SeenCause> {
  const docker = shipment.dockerfile();
  if (!docker) return;
  const { path: file, image, stage } = docker;
  for (const { keyword, line } of image.instructions) {
    const meant = keywords.includes(keyword) ? undefined : closestName(keyword, keywords);
    if (!keywords.includes(keyword))
      yield {
        cause: 'dockerfile-invalid',
        severity: 'error',
        captured: { problem: `there is no instruction ${keyword}` },
        at: { file, line },
        fix: meant && `write ${meant}`,
      };
  }
  for (const copy of image.copies) yield* copied(shipment, file, image, copy);
  for (const { path, line, stage: at } of image.early) {
    const isMade = at.commands.some(({ words }) =>
      /^(?:git|curl|wget|cd|tar|unzip|cp|mv|poetry|uv|pip-compile)$/.test(words[0] ?? ''),
    );
    const later = at.files.has(posix.resolve(at.workdir, path));
    if (!isMade)
      yield {
        cause: 'requirements-file-missing',
        severity: 'error',
        captured: { path },
        at: { file, line },
        why: later ? 'it is copied in a later line' : `${file} copies it nowhere in this stage`,
        fix: `COPY it above this line`,
      };
  }
  yield* locks(file, image);
  if (
    !stage.command &&
    !shipment.config.custom?.entrypoint &&
    /^(?:[\w.-]+\/)*(?:python|node|golang|rust|debian|ubuntu|alpine|php|ruby|deno|bun)\b/.test(stage.base)
  )
    yield {
      cause: 'image-without-command',
      severity: 'warning',
      captured: {},
      at: { file, line: image.instructions.at(-1)?.line },
    };
  yield* command(shipment, file, stage);
  yield* tools(file, image);
  yield* packageScripts(shipment, file, image);
  yield* bases(file, image);
  yield* python(shipment, file, image);
  yield* pythonPath(shipment, file, stage);
}

/** Folders of modules that the image lacks. */
function* pythonPath(shipment: Shipment, file: string, stage: Stage): Generator<SeenCause> {
  const [first] = shipment.started().filter(({ environment }) => environment.has('PYTHONPATH'));
  for (const folder of (first?.environment.get('PYTHONPATH') ?? '').split(':')) {
    const isThere =
      !folder.startsWith('/') ||
      folder.includes('$') ||
      [...stage.files.keys()].some((path) => path.startsWith(`${folder}/`)) ||
      stage.others.some((each) => folder.startsWith(each) || each.startsWith(folder));
    if (
      !isThere &&
      !/site-packages|^\/usr\/lib/.test(folder) &&
      !stage.commands.some(({ words }) => words.join(' ').includes(folder))
    )
      yield {
        cause: 'file-not-found',
        severity: 'warning',
        captured: { path: folder },
        at: first?.at ?? { file },
        title: `PYTHONPATH has ${folder}, and ${file} copies nothing to it`,
        fix: `copy the modules to ${folder}`,
      };
  }
}

function* copied(
  shipment: Shipment,
  file: string,
  image: DockerImage,
  { sources, from, line }: Copy,
): Generator<SeenCause> {
  const at = { file, line };
  if (from !== undefined) {
    const names = image.stages.flatMap(({ name }, index) => [name.toLowerCase(), String(index)]);
    // Without a stage of that name, it is an image: those have a slash, a tag or a place in the registry.
    if (!names.includes(from.toLowerCase()) && !/[/:.$]/.test(from)) {
      const meant =
        closestName(from, names) ??
        image.stages.find(({ name }) => name !== '' && (name.startsWith(from) || from.startsWith(name)))?.name;
      if (image.stages.some(({ name }) => name !== ''))
        yield {
          cause: 'copy-source-missing',
          severity: meant ? 'error' : 'warning',
          captured: { path: from },
          at,
          title: `${file} copies from a stage ${from}, which it does not have`,
          fix: meant && `--from=${meant}`,
        };
      return;
    }
    yield* fromStage(shipment, file, image, { sources, from, line });
    return;
  }
  for (const source of sources) {
    const path = contextPath(source);
    if (path.startsWith('..'))
      yield {
        cause: 'copy-source-missing',
        severity: 'error',
        captured: { path: source },
        at,
        title: `${file} copies ${source}, which is outside of the app folder`,
        fix: 'put it into the app folder: only that is sent',
      };
    if (path === '' || path.startsWith('..') || sourceFiles(source, shipment.paths).length > 0) continue;
    const isThere = /[*?[]/.test(path) ? false : shipment.exists(path);
    const meant = isThere ? undefined : closestName(posix.basename(path), shipment.list(posix.dirname(path)));
    if (isThere && !(shipment.isFolder(path) && shipment.list(path).length === 0)) {
      const { why, fix } = shipment.reasonOf(shipment.isFolder(path) ? `${path}/file` : path);
      yield {
        cause: 'copy-source-missing',
        severity: 'error',
        captured: { path: source },
        at,
        why: `it is in the app folder, but ${why}`,
        fix,
      };
    } else if (!/[*?[]/.test(path) || !/[[*?]/.test(posix.basename(path)))
      yield {
        cause: 'copy-source-missing',
        severity: 'error',
        captured: { path: source },
        at,
        title: `${file} copies ${source}, which is not in the app folder`,
        why: meant && `the folder has ${meant}`,
        fix: meant
          ? `COPY ${posix.join(posix.dirname(path), meant)}`
          : 'add it to the app folder, or remove it from the instruction',
      };
    else if (sources.length === 1)
      yield { cause: 'copy-source-missing', severity: 'error', captured: { path: source }, at };
  }
}

const lockedBy: readonly (readonly [command: RegExp, lock: RegExp])[] = [
  [/^npm ci\b/, /^(?:package-lock|npm-shrinkwrap)\.json$/],
  [/^yarn\b.*--(?:frozen-lockfile|immutable)/, /^yarn\.lock$/],
  [/^pnpm\b.*--frozen-lockfile/, /^pnpm-lock\.yaml$/],
  [/^uv sync\b.*--(?:frozen|locked)/, /^uv\.lock$/],
  [/^cargo\b.*--(?:locked|frozen)/, /^Cargo\.lock$/],
  [/^bundle install/, /^Gemfile$/],
  [/^composer install/, /^composer\.json$/],
  [/^bun install\b.*--frozen-lockfile/, /^bun\.lockb?$/],
];

/** Commands that fail without a lock file, and pip in the Python of a distribution. */
function* locks(file: string, image: DockerImage): Generator<SeenCause> {
  for (const { base, commands, files, environment } of image.stages) {
    for (const { words, line } of commands) {
      const rule = lockedBy.find(([command]) => command.test(words.join(' ')));
      if (rule && ![...files.keys()].some((path) => rule[1].test(posix.basename(path))))
        yield {
          cause: 'lock-file-outdated',
          severity: 'error',
          captured: {},
          at: { file, line },
          title: `${words.join(' ')} needs ${rule[1].source.replace(/[\^$\\?:()]/g, '').split('|')[0]}, which is not in the image`,
          fix: 'add the lock file to the app, and copy it above this line',
        };
      const isSystem = /^(?:[\w.-]+\/)*(?:debian:(?:bookworm|trixie|12|13|stable)|ubuntu:(?:2[3-9]|noble|latest))/.test(
        base,
      );
      if (
        isSystem &&
        /^pip3?$/.test(words[0] ?? '') &&
        words[1] === 'install' &&
        !words.includes('--break-system-packages') &&
        !/venv|virtualenv/.test(
          `${environment.get('PATH')} ${commands.map((each) => each.words.join(' ')).join(' ')}`,
        ) &&
        !environment.has('PIP_BREAK_SYSTEM_PACKAGES')
      )
        yield { cause: 'environment-externally-managed', severity: 'error', captured: {}, at: { file, line } };
    }
  }
}

/** What a stage makes is known where its files say it: the outputs of cargo, go and npm. */
function* fromStage(
  shipment: Shipment,
  file: string,
  image: DockerImage,
  { sources, from, line }: Pick<Copy, 'sources' | 'line'> & { from: string },
): Generator<SeenCause> {
  const stage = image.stages.find(({ name }, at) => name.toLowerCase() === from.toLowerCase() || String(at) === from);
  if (!stage) return;
  for (const source of sources) {
    const made = posix.resolve('/', source);
    if ([...stage.files.keys()].some((path) => path === made || path.startsWith(`${made}/`))) continue;
    const [, name = ''] = /\/target\/(?:[\w-]+\/)?release\/([\w-]+)$/.exec(made) ?? [];
    const cargo = name === '' ? undefined : shipment.paths.find((path) => posix.basename(path) === 'Cargo.toml');
    const text = cargo === undefined ? '' : (shipment.text(cargo) ?? '');
    const names = [...text.matchAll(/^\s*name\s*=\s*"([^"]+)"/gm)].map(([, each = '']) => each);
    if (
      names.length > 0 &&
      !text.includes('[workspace]') &&
      !names.includes(name) &&
      !stage.commands.some(({ words }) => words.includes(name))
    )
      yield {
        cause: 'copy-source-missing',
        severity: 'error',
        captured: { path: source },
        at: { file, line },
        title: `${file} copies ${source}, and cargo builds ${names[0]}`,
        fix: `COPY --from=${from} ${source.replace(/[\w-]+$/, names[0] ?? '')}`,
      };
    yield* built(shipment, file, stage, source, made, line);
  }
}

/** An output folder that the commands and the sources of a stage never name, while they name another one. */
function* built(
  shipment: Shipment,
  file: string,
  stage: Stage,
  source: string,
  made: string,
  line: number,
): Generator<SeenCause> {
  const names = ['dist', 'build', 'out', 'public', '.next', '.output', 'bin', 'release'];
  const name = names.find((each) => made.split('/').includes(each));
  if (name === undefined || !made.startsWith(`${stage.workdir}/`) || stage.commands.length === 0) return;
  const commands = stage.commands.filter(({ words }) => !/^(?:npm|yarn|pnpm|bun)$/.test(words[0] ?? ''));
  const texts = [...stage.files.values()]
    .filter((path) =>
      /(?:^|\/)(?:package\.json|[\w.-]*(?:build|config)[\w.-]*\.[cm]?[jt]s|Makefile|angular\.json)$/.test(path),
    )
    .map((path) => shipment.text(path) ?? '');
  const all = [...texts, ...commands.map(({ words }) => words.join(' '))].join('\n');
  const speaksOf = (each: string) =>
    new RegExp(`["'\`/ =](?:\\./)?${each.replace('.', '\\.')}["'\`/](?!\\s*:)`).test(all);
  const other = names.find((each) => each !== name && speaksOf(each));
  if (other !== undefined && !speaksOf(name))
    yield {
      cause: 'copy-source-missing',
      severity: 'warning',
      captured: { path: source },
      at: { file, line },
      title: `${file} copies ${source}, and its stage writes ${other}`,
      fix: `copy ${source.replace(name, other)}`,
    };
}

function* command(shipment: Shipment, file: string, stage: Stage): Generator<SeenCause> {
  const found = stage.command;
  if (!found || shipment.config.custom?.entrypoint) return;
  const { words, line, isShell } = found;
  const text = words.join(' ');
  if (isShell && /^\s*\[/.test(text))
    yield {
      cause: 'dockerfile-invalid',
      severity: 'error',
      captured: { problem: 'the list of CMD is no JSON' },
      at: { file, line },
      why: 'it is run as the text of a shell command; JSON has double quotes',
      fix: 'write the words in double quotes',
    };
  const variable = isShell
    ? undefined
    : /(?:^|[\s:=])\$\{?(\w+)/.exec(/^(?:\S*\/)?(?:ba|da)?sh$/.test(words[0] ?? '') ? '' : text)?.[1];
  if (variable !== undefined)
    yield {
      cause: 'port-invalid',
      severity: 'warning',
      captured: { value: `$${variable}` },
      at: { file, line },
      title: `CMD has $${variable}, which is not replaced in a list of words`,
      fix: `write the value, or CMD ["sh", "-c", "exec …"]`,
    };
  const [program = ''] = words;
  if (!isShell && /^\/|^\.\//.test(program)) {
    const path = posix.resolve(stage.workdir, program);
    const isUsual =
      /^\/(?:usr\/)?(?:local\/)?s?bin\//.test(path) &&
      stage.files.get(path) === undefined &&
      !stage.others.includes(path);
    const isMade =
      stage.others.some((each) => path === each || path.startsWith(`${each}/`)) ||
      stage.commands.some(({ words: made }) => made.join(' ').includes(posix.basename(path))) ||
      stage.environment.has('PATH');
    const isOwn =
      /^\/(?:app|srv|code|src|workspace|usr\/src)\//.test(path) ||
      posix.dirname(path) === stage.workdir ||
      stage.others.some((each) => posix.basename(each) === posix.basename(path));
    if (!isUsual && !isMade && isOwn && !stage.files.has(path)) {
      const same = [...stage.files.keys(), ...stage.others].find(
        (each) => posix.basename(each) === posix.basename(path),
      );
      yield {
        cause: 'entrypoint-not-found',
        severity: 'warning',
        captured: { path },
        at: { file, line },
        title: `CMD starts ${path}, which is not in the image`,
        why: same && `the image has ${same}`,
        fix: same && `start ${same}`,
      };
    }
  }
  yield* scripts(shipment, file, stage, words, line);
}

/** Scripts of the image: their interpreter, and the folders that they name. */
function* scripts(
  shipment: Shipment,
  file: string,
  stage: Stage,
  words: readonly string[],
  line: number,
): Generator<SeenCause> {
  const isAlpine = /alpine/.test(stage.base);
  for (const [path, own] of stage.files) {
    const text =
      /\.sh$/.test(own) || words.some((word) => posix.resolve(stage.workdir, word) === path)
        ? shipment.text(own)
        : undefined;
    const shell = /^#!\s*(\/\S*\/)?(?:env\s+)?(bash|zsh)/.exec(text ?? '')?.[2];
    if (
      isAlpine &&
      shell !== undefined &&
      !stage.commands.some((each) => each.words[0] === 'apk' && each.words.includes(shell))
    )
      yield {
        cause: 'command-not-found',
        severity: 'warning',
        captured: { command: shell },
        at: { file: own, line: 1 },
        why: `the image ${stage.base} has no ${shell}`,
        fix: `write #!/bin/sh, or RUN apk add --no-cache ${shell} in ${file}`,
      };
  }
  for (const { words: started, at } of shipment.started()) {
    for (const word of started) {
      const [, value = ''] =
        /^--?[\w-]*(?:repository|repo|dir|directory|path|root|file|config)=(\/\S+)$/.exec(word) ?? [];
      const isKnown =
        value === '' ||
        stage.files.has(value) ||
        [...stage.files.keys()].some((each) => each.startsWith(`${value}/`)) ||
        stage.others.some((each) => value.startsWith(each) || each.startsWith(value)) ||
        /^\/(?:persistent-storage|tmp|etc|var|usr|opt\/\w+$)/.test(value) ||
        stage.commands.some((each) => each.words.join(' ').includes(value));
      if (!isKnown)
        yield {
          cause: 'file-not-found',
          severity: 'warning',
          captured: { path: value },
          at: at ?? { file, line },
          why: `${file} copies nothing to it`,
        };
    }
  }
}

const packageManagers: readonly (readonly [program: RegExp, absentOn: RegExp, has: string])[] = [
  [/^apt(?:-get)?$/, /alpine|fedora|centos|rockylinux|almalinux|amazonlinux|ubi\d/, 'apk add --no-cache'],
  [/^apk$/, /slim|bookworm|bullseye|trixie|buster|debian|ubuntu|jammy|noble|focal|fedora/, 'apt-get install -y'],
  [/^(?:yum|dnf|microdnf)$/, /alpine|slim|bookworm|bullseye|debian|ubuntu/, 'apt-get install -y'],
];

function* tools(file: string, image: DockerImage): Generator<SeenCause> {
  for (const { base, commands } of image.stages) {
    for (const { words, line } of commands) {
      const rule = packageManagers.find(([program, absent]) => program.test(words[0] ?? '') && absent.test(base));
      if (rule)
        yield {
          cause: 'command-not-found',
          severity: 'error',
          captured: { command: words[0] ?? '' },
          at: { file, line },
          why: `the image ${base} has no ${words[0]}`,
          fix: `use ${rule[2]}`,
        };
      const fetched = words.find((word) => /^git\+/.test(word));
      if (
        fetched &&
        /slim|alpine/.test(base) &&
        !commands.some((each) => /^ap/.test(each.words[0] ?? '') && each.words.includes('git'))
      )
        yield { cause: 'git-missing', severity: 'error', at: { file, line } };
    }
  }
}

/** Scripts of package.json and tasks of deno.json that a command names, and the tool itself by what it copies. */
function* packageScripts(shipment: Shipment, file: string, image: DockerImage): Generator<SeenCause> {
  const final = image.stages.at(-1);
  const started = final?.command
    ? [
        {
          words: final.command.isShell ? final.command.words.join(' ').split(/\s+/) : final.command.words,
          line: final.command.line,
          stage: final,
        },
      ]
    : [];
  for (const { words, line, stage } of [
    ...image.stages.flatMap((stage) => stage.commands.map((each) => ({ ...each, stage }))),
    ...started,
  ]) {
    const [program = '', verb = '', third = ''] = words;
    const isTask = (program === 'deno' && verb === 'task') || (program === 'task' && /deno/.test(stage.base));
    const name = isTask
      ? program === 'task'
        ? verb
        : third
      : /^(?:npm|pnpm|bun)$/.test(program) && verb === 'run'
        ? third
        : program === 'yarn' && verb === 'run'
          ? third
          : program === 'npm' && verb === 'start'
            ? 'start'
            : undefined;
    if (name === undefined || name === '' || name.startsWith('-')) continue;
    const wanted = isTask ? /^deno\.jsonc?$/ : /^package\.json$/;
    const settings = [...stage.files].find(([path]) => wanted.test(posix.basename(path)))?.[1];
    const text = settings === undefined ? undefined : shipment.text(settings);
    if (text === undefined) continue;
    try {
      const { scripts, tasks } = JSON.parse(text) as { scripts?: object; tasks?: object };
      const known = Object.keys((isTask ? tasks : scripts) ?? {});
      if (!known.includes(name) && !(name === 'start' && !isTask && text.includes('server.js')))
        yield {
          cause: 'command-failed',
          severity: 'error',
          captured: { command: words.join(' ') },
          at: { file, line },
          title: `${file} runs ${words.join(' ')}, and ${settings} has no ${isTask ? 'task' : 'script'} ${name}`,
          fix: known.length > 0 ? `it has ${known.join(', ')}` : undefined,
        };
    } catch {
      // The look at data says so.
    }
  }
}

/** Words that tags of images of languages have. */
const tagWords =
  /^(?:latest|slim|alpine[\d.]*|bookworm|bullseye|buster|trixie|jammy|noble|focal|windowsservercore.*|nanoserver.*|\d[\w.]*|rc|beta|alpha|lts|current|iron|hydrogen|jod|cli|fpm|apache|zts|bun|stable|mainline|perl|otel|debian|ubuntu|devel|runtime|base|cudnn\d*|ubuntu\d\d\.\d\d|distroless|musl|dev|onbuild|stretch|krypton)$/;

/** A tag with a word that is nearly one of those. */
function* bases(file: string, image: DockerImage): Generator<SeenCause> {
  for (const { keyword, rest, line } of image.instructions) {
    if (keyword !== 'FROM') continue;
    const [, name = '', tag = ''] =
      /^(?:--\S+\s+)*((?:[\w.-]+\/)*(?:python|node|golang|rust|php|ruby|debian|ubuntu|alpine|nginx)):([\w.-]+)/.exec(
        rest,
      ) ?? [];
    const odd = tag.split('-').find((word) => word !== '' && !tagWords.test(word));
    const meant =
      odd &&
      closestName(odd, [
        'slim',
        'alpine',
        'bookworm',
        'bullseye',
        'trixie',
        'buster',
        'latest',
        'stable',
        'jammy',
        'noble',
      ]);
    if (odd !== undefined && meant !== undefined)
      yield {
        cause: 'image-not-found',
        severity: 'warning',
        captured: { image: `${name}:${tag}` },
        at: { file, line },
        fix: `FROM ${name}:${tag.replace(odd, meant)}`,
      };
  }
}

/** The Python that the project wants, against that of the image. */
function* python(shipment: Shipment, file: string, image: DockerImage): Generator<SeenCause> {
  const has = shipment.python();
  if (has === undefined || !shipment.sent.has('pyproject.toml')) return;
  const installs = image.stages.some(({ commands }) =>
    commands.some(
      ({ words }) =>
        /^(?:poetry|uv|pdm|hatch)$/.test(words[0] ?? '') ||
        (words[0]?.startsWith('pip') && words.some((word) => /^\.(?:\[|\/|$)/.test(word))),
    ),
  );
  const text = shipment.text('pyproject.toml') ?? '';
  const [line, , wanted = ''] = /^(python|requires-python)\s*=\s*"([^"]+)"/m.exec(text) ?? [];
  if (!installs || line === undefined) return;
  const minor = Number(has.split('.')[1]);
  const fits = wanted.split(',').every((part) => {
    const [, operator = '', number = ''] = /^\s*(\^|~=?|>=|>|<=|<|==|)\s*3\.(\d+)/.exec(part) ?? [];
    const other = Number(number);
    if (number === '') return true;
    return (
      {
        '^': minor >= other,
        '~': minor === other,
        '~=': minor >= other,
        '>=': minor >= other,
        '>': minor >= other,
        '<=': minor <= other,
        '<': minor < other,
        '==': minor === other,
        '': minor === other,
      }[operator] ?? true
    );
  });
  if (!fits)
    yield {
      cause: 'python-version-unsupported',
      severity: 'error',
      captured: { package: 'the project' },
      at: { file: 'pyproject.toml', line: text.slice(0, text.indexOf(line)).split('\n').length },
      title: `the project wants Python ${wanted}, and the image of ${file} has ${has}`,
      fix: `use an image with that Python, or change it in pyproject.toml`,
    };
  const poetry = [...text.matchAll(/include\s*=\s*"([\w./-]+)"/g)].map(([, name = '']) => name);
  for (const name of poetry)
    if (/\[tool\.poetry\]/.test(text) && !shipment.paths.some((path) => path.startsWith(`${name}/`) || path === name))
      yield {
        cause: 'package-layout-invalid',
        severity: 'error',
        captured: { path: name },
        at: { file: 'pyproject.toml', line: text.slice(0, text.indexOf(`"${name}"`)).split('\n').length },
        title: `pyproject.toml packages ${name}, which is not in the app`,
        fix: 'correct the name, or set package-mode = false',
      };
}
