import { posix } from 'node:path';
import { closestName } from '../../app/toml/closest-name.ts';
import { isNeverReleased, isOlder, missingWheels, pinnedVersion } from '../../app/wheels.ts';
import { isPackage } from '../import-names.ts';
import { aptPackages, debianPackageOfProgram } from '../program-packages.ts';
import type { Packages, RequirementLine } from './packages.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';
import { looseNeeds } from './tables.ts';

/** What pip and apt will refuse. */
export function* lookAtRequirements(shipment: Shipment, packages: Packages): Generator<SeenCause> {
  for (const { path, at } of packages.missingFiles) yield missingFile(shipment, path, at);
  for (const line of packages.lines) yield* lookAtLine(shipment, packages, line);
  yield* hashes(packages);
  yield* pins(shipment, packages);
  yield* aptNames(shipment, packages);
}

function missingFile(shipment: Shipment, path: string, at: SeenCause['at']): SeenCause {
  const isThere = shipment.exists(path);
  const isOutside = path.startsWith('..');
  const { why, fix } = isThere
    ? shipment.reasonOf(path)
    : { why: isOutside ? 'only files of the app folder are sent' : undefined, fix: undefined };
  return isThere
    ? {
        cause: 'file-excluded',
        severity: 'error',
        captured: { path },
        at,
        title: `${path} is in the app folder, but is not sent: ${why}`,
        fix,
      }
    : { cause: 'requirements-file-missing', severity: 'error', captured: { path }, at, why };
}

const specifier = /^(?:(?:===?|~=|!=|<=?|>=?)\s*[\w.*+!-]+\s*(?:,\s*|$))+$/;

function* lookAtLine(
  shipment: Shipment,
  packages: Packages,
  { text, file, line }: RequirementLine,
): Generator<SeenCause> {
  const at = { file, line };
  const plain = text
    .replace(/\s--hash\S*.*$/, '')
    .replace(/\s*;.*$/, '')
    .trim();
  const path =
    /^(?:-e|--editable)[ =]*(.+)$/.exec(text)?.[1] ??
    (/^(?:\.{1,2}\/|\/|file:)/.test(plain) ? plain : /@\s*(file:\S+)/.exec(plain)?.[1]);
  if (path !== undefined && !/^(?:git\+|https?:)/.test(path)) {
    yield* localPath(shipment, path, text, at);
    return;
  }
  const index = /^(?:-i|--index-url|--extra-index-url|-f|--find-links)[ =]+(\S+)/.exec(text)?.[1];
  if (index !== undefined && isPrivateHost(index))
    yield {
      cause: 'package-index-unreachable',
      severity: 'warning',
      captured: { host: index },
      at,
      why: `${hostOf(index)} is an address of a private network`,
    };
  if (text.startsWith('-')) return;
  if (/git\+ssh:|@git@|^git@|git\+git@/.test(text))
    yield {
      cause: 'git-access-denied',
      severity: 'error',
      at,
      why: `"${text}" needs an SSH key, and the build has none`,
    };
  else if (/git\+/.test(text) && !shipment.isDocker && !packages.apt.has('git'))
    yield { cause: 'git-missing', severity: 'error', at, why: `"${text}" is fetched with git` };
  if (/:\/\//.test(plain) || /\.whl$/.test(plain)) {
    if (isPrivateHost(plain))
      yield {
        cause: 'package-index-unreachable',
        severity: 'warning',
        at,
        why: `${hostOf(plain)} is an address of a private network`,
      };
    return;
  }
  const [, name = '', rest = ''] =
    /^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(?:\((.*)\)|(.*))$/.exec(plain) ?? [];
  const wanted = (rest || (/^([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(.*)$/.exec(plain)?.[2] ?? '')).trim();
  if (name === '' || (wanted !== '' && !wanted.startsWith('@') && !specifier.test(wanted)))
    yield {
      cause: 'requirement-invalid',
      severity: 'error',
      captured: { line: text },
      at,
      why: `pip cannot read "${text}"`,
    };
}

function* localPath(
  shipment: Shipment,
  path: string,
  text: string,
  at: { file: string; line: number },
): Generator<SeenCause> {
  const plain = path
    .replace(/^file:(?:\/\/)?/, '')
    .replace(/[[#;].*$/, '')
    .trim();
  const inApp = posix.isAbsolute(plain)
    ? (shipment.inImage().get(plain) ?? '')
    : posix.normalize(plain === '' ? '.' : plain);
  const why = `"${text}" is on this machine only`;
  if (inApp === '' || inApp.startsWith('..'))
    yield {
      cause: 'requirement-invalid',
      severity: 'error',
      captured: { line: text },
      at,
      title: `${at.file}:${at.line} installs ${plain}, which is not in the app`,
      why,
      fix: 'name the package and its version, or put its code or wheel into the app folder',
    };
  else if (!shipment.sent.has(inApp)) {
    const folder = inApp === '.' ? '' : `${inApp.replace(/\/$/, '')}/`;
    const project = ['pyproject.toml', 'setup.py', 'setup.cfg'].map((name) => folder + name);
    if (project.some((each) => shipment.sent.has(each))) return;
    // A Dockerfile may copy the project to another place.
    if (shipment.isDocker && shipment.paths.some((each) => /(?:^|\/)(?:pyproject\.toml|setup\.py)$/.test(each))) return;
    const there = project.find((each) => shipment.exists(each));
    yield there === undefined
      ? {
          cause: 'requirement-invalid',
          severity: 'error',
          captured: { line: text },
          at,
          title: `${at.file}:${at.line} installs ${plain || '.'}, which has no pyproject.toml or setup.py`,
          fix: 'name the package and its version, or put its code into the app folder',
        }
      : {
          cause: 'file-excluded',
          severity: 'error',
          captured: { path: there },
          at,
          title: `${there} is in the app folder, but is not sent: ${shipment.reasonOf(there).why}`,
          fix: shipment.reasonOf(there).fix,
        };
  }
}

const hostOf = (address: string) => /:\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/\s]+)/.exec(address)?.[1] ?? '';

function isPrivateHost(address: string): boolean {
  const host = hostOf(address);
  return (
    /\.(?:local|internal|lan|corp|intra|home|test|localdomain)$|^localhost$|^(?:10|127)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\./.test(
      host,
    ) ||
    (host !== '' && !host.includes('.'))
  );
}

/** With one hash, pip wants one for everything. */
function* hashes({ lines }: Packages): Generator<SeenCause> {
  const packages = lines.filter(({ text }) => !text.startsWith('-'));
  const [hashed, plain] = [
    packages.filter(({ text }) => text.includes('--hash=')),
    packages.filter(({ text }) => !text.includes('--hash=')),
  ];
  const [first] = plain;
  if (hashed.length > 0 && first)
    yield {
      cause: 'hash-missing',
      severity: 'error',
      at: first,
      why: `${hashed[0]?.text.split(/[\s=]/)[0]} has a hash, and ${first.text} has none`,
    };
}

function* pins(shipment: Shipment, packages: Packages): Generator<SeenCause> {
  const pinned = new Map<string, { wanted: string; at: SeenCause['at'] }>();
  const python = shipment.python();
  const hasIndex =
    packages.lines.some(({ text }) => /^--?(?:extra-index-url|index-url|i|f|find-links)\b/.test(text)) ||
    shipment.buildCommands().some(({ words }) => words.some((word) => /index-url|find-links/.test(word)));
  for (const { name, wanted, at } of packages.listed) {
    const version = pinnedVersion(wanted);
    const local = /\+(\w+)\s*$/.exec(wanted)?.[1];
    if (local !== undefined && !hasIndex)
      yield {
        cause: 'package-version-not-found',
        severity: 'error',
        captured: { package: name, wanted },
        at,
        why: `builds with +${local} are on an index of their own`,
        fix: `pin ${name}${wanted.replace(/\+\w+/, '')}, or list --extra-index-url https://download.pytorch.org/whl/${local} in a requirements file`,
      };
    if (/^[a-z]{2}-(?:core|dep|ent)-(?:web|news|sci|wiki)-(?:sm|md|lg|trf)$/.test(name) && at && wanted.startsWith('='))
      yield {
        cause: 'package-not-found',
        severity: 'error',
        captured: { package: name },
        at,
        why: 'the models of spaCy are not on PyPI',
        fix: `name the address of its wheel, or run python -m spacy download ${name.replaceAll('-', '_')} in shell_commands`,
      };
    if (/^=[^=]/.test(wanted))
      yield {
        cause: 'requirement-invalid',
        severity: 'error',
        captured: { line: `${name}${wanted}` },
        at,
        why: `pip cannot read "${name}${wanted}"`,
      };
    if (version === undefined) continue;
    const before = pinned.get(name);
    if (before && before.wanted !== wanted)
      yield {
        cause: 'dependency-conflict',
        severity: 'error',
        at,
        why: `${name} is pinned to ${before.wanted.trim()} and to ${wanted.trim()}`,
      };
    pinned.set(name, { wanted, at });
    if (isNeverReleased(name, version))
      yield {
        cause: 'package-version-not-found',
        severity: 'error',
        captured: { package: name, wanted },
        at,
        why: `${name} ${version} was never released, or was withdrawn`,
      };
    // The settings of an app without a Dockerfile are checked with the config file.
    const isSetting = at && 'setting' in at && !shipment.isDocker;
    const named = shipment.config.dependencies.paths.pip;
    const isChecked = isSetting || (at && 'file' in at && named !== undefined && posix.normalize(named) === at.file);
    const missing = python === undefined || isChecked ? undefined : missingWheels(name, version, python);
    if (missing)
      yield {
        cause: 'python-version-unsupported',
        severity: 'warning',
        captured: { package: name, wanted },
        at,
        title: `${name} ${version} has no wheels for Python ${python}`,
        why: `it has them for Python ${missing.pythons.join(', ') || 'none that is offered'} (${missing.source})`,
        fix: missing.versions ? `use ${name} ${missing.versions.join(' to ')}` : undefined,
      };
    const loose = looseNeeds.find(
      (each) =>
        each.package === name &&
        isOlder(version, each.until) &&
        !packages.listed.some((one) => one.name === each.other && one.wanted !== ''),
    );
    if (loose)
      yield {
        cause: 'package-api-changed',
        severity: 'warning',
        captured: { package: loose.other },
        at,
        title: `${name} ${version} does not work with the ${loose.other} that pip installs beside it`,
        why: `it was released before ${loose.other} ${loose.bound.replace('<', '')}, and does not bound it`,
        fix: `add ${loose.other}${loose.bound}, or use a newer ${name}`,
      };
  }
}

const languages: Readonly<Record<string, string>> = {
  ger: 'deu',
  fre: 'fra',
  dut: 'nld',
  chi: 'chi-sim',
  cze: 'ces',
  gre: 'ell',
  en: 'eng',
  de: 'deu',
  fr: 'fra',
  es: 'spa',
  it: 'ita',
  pt: 'por',
};

const stem = (name: string) => name.replace(/[\d.-]+$/, '');

const usualApt =
  'ffmpeg git curl wget unzip build-essential gcc g++ make cmake pkg-config ninja-build libgl1 libglib2.0-0 libsm6 libxext6 libxrender1 libsndfile1 libsndfile1-dev portaudio19-dev libportaudio2 libpq-dev libpq5 libmagic1 libgomp1 poppler-utils tesseract-ocr tesseract-ocr-eng espeak-ng espeak sox libsox-dev imagemagick ghostscript graphviz chromium chromium-driver wkhtmltopdf default-jre default-jre-headless openjdk-17-jre nodejs npm python3-dev python3-pip libffi-dev libssl-dev libxml2-dev libxslt1-dev zlib1g-dev libjpeg-dev libopenblas-dev libopenblas0 libcairo2 libcairo2-dev libpango-1.0-0 libpangocairo-1.0-0 libzbar0 redis-server redis-tools nginx supervisor openssh-client ca-certificates gnupg fonts-dejavu fonts-liberation fonts-noto libreoffice pandoc texlive aria2 git-lfs procps htop vim nano jq rsync locales tzdata libavcodec-dev libavformat-dev libgeos-dev gdal-bin libgdal-dev libhdf5-dev libsqlite3-dev sqlite3 mediainfo exiftool'.split(
    ' ',
  );

/** Names that are no packages of Debian, and those of Debian that pip cannot install. */
function* aptNames(shipment: Shipment, packages: Packages): Generator<SeenCause> {
  const known = aptPackages();
  const inCommands = shipment.buildCommands().flatMap(({ words, at }) =>
    /^apt(?:-get)?$/.test(words[0] ?? '') && words.includes('install')
      ? words
          .slice(words.indexOf('install') + 1)
          .filter((word) => /^[a-z0-9][a-z0-9.+-]+$/.test(word))
          .map((name) => ({ name, at }))
      : [],
  );
  const inSettings = shipment.isDocker
    ? []
    : Object.keys(shipment.config.dependencies.apt).map((name) => ({
        name,
        at: { setting: `dependencies.apt.${name}` },
      }));
  for (const { name, at } of [...inSettings, ...inCommands]) {
    const [, language = ''] = /^tesseract-ocr-(\w+)$/.exec(name) ?? [];
    const meant = languages[language]
      ? `tesseract-ocr-${languages[language]}`
      : known.has(name) || /-dev$/.test(name)
        ? undefined
        : (debianPackageOfProgram(name) ?? [...known].find((each) => stem(each) === stem(name)));
    const near =
      meant ??
      (known.has(name) || usualApt.includes(name) || /^(?:tesseract-ocr-|fonts-|python3|openjdk|lib.*\d)/.test(name)
        ? undefined
        : closestName(
            name,
            usualApt.filter((each) => each.length > 4 && Math.abs(each.length - name.length) < 3),
          ));
    if (near !== undefined && near !== name)
      yield {
        cause: 'apt-package-not-found',
        severity: 'warning',
        captured: { package: name },
        at,
        why: `Debian has ${near}`,
        fix: `${near} = "latest"`,
      };
  }
  for (const { name, at } of packages.listed) {
    const isSystem = (known.has(name) || [...known].some((each) => name.startsWith(`${each}-`))) && !isPackage(name);
    if (isSystem && at)
      yield {
        cause: 'package-not-found',
        severity: 'error',
        captured: { package: name },
        at,
        why: `${name} is a package of Debian, and pip has none of this name`,
        fix: `move it to [cerebrium.dependencies.apt]: ${name} = "latest"`,
      };
    else if (at && !isPackage(name)) yield* misspelt(name, at);
  }
}

/** Of names that nobody installs, those that are one letter away from a package that many do. */
function* misspelt(name: string, at: SeenCause['at']): Generator<SeenCause> {
  const meant = closestName(name, popular);
  if (meant === undefined || popular.includes(name)) return;
  yield {
    cause: 'package-not-found',
    severity: 'warning',
    captured: { package: name },
    at,
    why: `few install ${name}; ${meant} is probably meant`,
    fix: `${meant} = "latest"`,
  };
}

const popular =
  'transformers diffusers tensorflow torchvision torchaudio accelerate fastapi uvicorn gunicorn requests matplotlib opencv-python scikit-learn sentence-transformers beautifulsoup4 sqlalchemy pydantic langchain pytesseract playwright selenium psycopg2-binary huggingface-hub'.split(
    ' ',
  );
