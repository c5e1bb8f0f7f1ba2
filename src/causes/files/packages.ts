import { dirname, posix } from 'node:path';
import { load } from 'js-yaml';
import { parse } from 'smol-toml';
import { decodeRequirements } from '../../app/requirements.ts';
import { packageOf } from '../import-names.ts';
import { once } from './once.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';
import { broughtBy } from './tables.ts';

/** A package that the app lists. */
export interface Listed {
  /** As PyPI compares names. */
  name: string;
  extras: string[];
  /** `==1.2`; empty for any version. */
  wanted: string;
  at: SeenCause['at'];
}

/** A line of a requirements file, without its comment. */
export interface RequirementLine {
  text: string;
  file: string;
  line: number;
}

export const normalizeName = (name: string) => name.replace(/[-_.]+/g, '-').toLowerCase();

/** What the build installs, as far as the files say it. */
export class Packages {
  readonly listed: Listed[] = [];
  readonly apt = new Set<string>();
  /** Lines of requirements files that are read. */
  readonly lines: RequirementLine[] = [];
  /** Requirements files that are named and not there, and where they are named. */
  readonly missingFiles: { path: string; at: SeenCause['at'] }[] = [];
  /** Whether something installs packages that the files do not name. */
  hasOthers = false;
  /** Whether the image has more than a system and a language. */
  isOtherImage = false;
  /** Whether the app installs itself as a package. */
  installsItself = false;
  private readonly read = new Set<string>();
  private readonly shipment: Shipment;

  constructor(shipment: Shipment) {
    this.shipment = shipment;
    const { dependencies, deployment } = shipment.config;
    if (!shipment.isDocker) {
      for (const [key, version] of Object.entries(dependencies.pip))
        this.add(`${key} ${/^[\d.]/.test(version) ? `==${version}` : version}`, { setting: `dependencies.pip.${key}` });
      for (const name of Object.keys(dependencies.conda))
        this.list(name.replace(/^.*::/, ''), [], '', { setting: `dependencies.conda.${name}` });
      for (const name of Object.keys(dependencies.apt)) this.apt.add(name);
      const { pip, apt, conda } = dependencies.paths;
      const own =
        Object.keys(dependencies.pip).length === 0 && shipment.sent.has('requirements.txt')
          ? 'requirements.txt'
          : undefined;
      if (pip ?? own)
        this.readFile(pip ?? own ?? '', pip === undefined ? undefined : { setting: 'dependencies.paths.pip' });
      for (const line of (apt === undefined ? '' : (this.fileText(apt) ?? '')).split('\n')) this.apt.add(line.trim());
      if (conda !== undefined)
        for (const line of (this.fileText(conda) ?? '').split('\n'))
          if (/^\w/.test(line.trim()))
            this.list(
              line
                .trim()
                .replace(/^.*::/, '')
                .split(/[=<> ]/)[0] ?? '',
              [],
              '',
              undefined,
            );
      if (deployment.docker_base_image_url !== undefined && !plainImage.test(deployment.docker_base_image_url))
        this.hasOthers = this.isOtherImage = true;
    }
    for (const { words, at } of shipment.buildCommands()) this.runs(words, at);
    const docker = shipment.dockerfile();
    if (
      docker?.image.stages.some(
        ({ base }) => !plainImage.test(base) && !docker.image.stages.some(({ name }) => name === base),
      )
    )
      this.hasOthers = this.isOtherImage = true;
  }

  /** Everything that is installed, with what it brings along. */
  all = once((): { names: ReadonlySet<string>; isWhole: boolean } => {
    const names = new Set<string>();
    let isWhole = !this.hasOthers;
    for (const { name, extras, wanted } of this.listed) {
      names.add(name);
      // Of this version alone, the package brought what `standard` brings since.
      const brought = broughtBy(name, name === 'fastapi' && /0\.111/.test(wanted) ? ['standard'] : extras);
      if (!brought) isWhole = false;
      for (const each of brought ?? []) names.add(each);
    }
    return { names, isWhole };
  });

  has(name: string): boolean {
    return this.all().names.has(name);
  }

  /** Whether an installed package has a module. Undefined if it may be so. */
  provides(module: string): boolean | undefined {
    const [top = ''] = module.split('.');
    const plain = normalizeName(top);
    const known = packageOf(module);
    const { names, isWhole } = this.all();
    if (known !== undefined && isOneOf(known, plain, names)) return true;
    if (
      known === undefined &&
      ([...names].some((name) => name === plain || name.startsWith(`${plain}-`)) ||
        this.listed.some(({ name }) => name.endsWith(`-${plain}`)))
    )
      return true;
    return isWhole ? false : undefined;
  }

  private list(name: string, extras: string[], wanted: string, at: SeenCause['at']): void {
    if (name !== '' && normalizeName(name) !== 'python')
      this.listed.push({ name: normalizeName(name), extras, wanted: wanted.trim(), at });
  }

  private add(text: string, at: SeenCause['at']): void {
    const [, name, extras = '', wanted = ''] = /^([A-Za-z0-9][\w.-]*)\s*(?:\[([^\]]*)\])?\s*([^;#]*)/.exec(text) ?? [];
    if (name !== undefined && !/:\/\//.test(text.split(/[;@\s]/)[0] ?? ''))
      this.list(
        name,
        extras
          .split(',')
          .map((each) => each.trim())
          .filter(Boolean),
        wanted.replace(/^(?:latest|\*)$/, ''),
        at,
      );
    if (/git\+|:\/\/|^\.|^\//.test(text) && !/^[\w.-]+\s*(?:\[[^\]]*\])?\s*@/.test(text)) this.addFromAddress(text, at);
  }

  /** The name is in the address, or nobody knows it. */
  private addFromAddress(text: string, at: SeenCause['at']): void {
    const [, named] =
      /[#&]egg=([\w.-]+)/.exec(text) ??
      /\/([A-Za-z][\w.]*?)-\d[\w.]*(?:-[\w.]+)*\.(?:whl|tar\.gz|zip)/.exec(text) ??
      /\/([\w.-]+?)(?:\.git)?(?:@[\w./-]+)?$/.exec(text) ??
      [];
    if (named !== undefined) this.list(named, [], '', at);
    if (!/\.whl/.test(text)) this.hasOthers = true;
  }

  private fileText(path: string): string | undefined {
    const plain = posix.normalize(path.replaceAll('\\', '/'));
    const bytes = this.shipment.bytes(plain);
    return bytes && decodeRequirements(bytes).text;
  }

  /** A requirements file, with those that it includes. */
  private readFile(path: string, at: SeenCause['at']): void {
    const file = posix.normalize(path.replaceAll('\\', '/'));
    if (this.read.has(file)) return;
    this.read.add(file);
    const text = this.fileText(file);
    if (text === undefined) {
      this.missingFiles.push({ path: file, at });
      return;
    }
    if (/\.toml$/.test(file)) {
      this.readProject(file);
      return;
    }
    let pending = '';
    for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
      pending += raw.replace(/\\$/, ' ');
      if (raw.endsWith('\\')) continue;
      const plain = pending.replace(/(^|\s)#.*$/, '').trim();
      pending = '';
      if (plain === '') continue;
      const line = index + 1;
      this.lines.push({ text: plain, file, line });
      const [, flag, other = ''] = /^(-r|--requirement|-c|--constraint)[ =]*(.+)$/.exec(plain) ?? [];
      if (flag !== undefined) {
        const before = this.listed.length;
        this.readFile(posix.join(dirname(file), other.trim()), { file, line });
        // A constraint installs nothing.
        if (/^(?:-c|--con)/.test(flag)) this.listed.length = before;
      } else if (/^(?:-e|--editable)/.test(plain)) this.editable(plain.replace(/^\S+[ =]*/, ''));
      else if (/^\.{1,2}(?:\/|\[|$)/.test(plain)) this.editable(plain);
      else if (!plain.startsWith('-')) this.add(plain, { file, line });
    }
  }

  private editable(path: string): void {
    if (/^(?:\.|\.\/)?(?:\[.*)?$/.test(path) || /^\.\//.test(path)) {
      this.installsItself = true;
      if (this.shipment.sent.has('pyproject.toml')) this.readProject('pyproject.toml');
      else this.hasOthers = true;
    } else this.hasOthers = true;
  }

  private readProject(file: string): void {
    const text = this.shipment.text(file);
    if (text === undefined) return;
    try {
      const { project, tool, 'dependency-groups': groups } = parse(text) as Project;
      const at = { file };
      for (const each of [
        ...(project?.dependencies ?? []),
        ...Object.values(project?.['optional-dependencies'] ?? {}).flat(),
        ...Object.values(groups ?? {}).flat(),
      ])
        if (typeof each === 'string') this.add(each, at);
      for (const [name, value] of Object.entries(tool?.poetry?.dependencies ?? {})) {
        const { extras = [], version = '' } = typeof value === 'string' ? { version: value } : value;
        this.list(name, extras, version.replace(/^\^/, '>=').replace(/^(?=\d)/, '=='), at);
      }
    } catch {
      this.hasOthers = true;
    }
  }

  private readEnvironment(file: string): void {
    const text = this.fileText(file);
    if (text === undefined) return;
    try {
      const { dependencies = [] } = (load(text) ?? {}) as { dependencies?: (string | { pip?: string[] })[] };
      for (const each of dependencies) {
        if (typeof each === 'string') this.list(each.replace(/^.*::/, '').split(/[=<> ]/)[0] ?? '', [], '', { file });
        else
          for (const line of each.pip ?? []) {
            const [, other] = /^-r\s+(.+)$/.exec(line) ?? [];
            if (other !== undefined) this.readFile(posix.join(dirname(file), other), { file });
            else this.add(line, { file, line: lineWith(text, line) });
          }
      }
    } catch {
      this.hasOthers = true;
    }
  }

  /** What a command of the build installs. */
  private runs(words: readonly string[], at: SeenCause['at']): void {
    const [program = '', ...rest] = words;
    const name = posix.basename(program);
    const fileOf = (word: string) => this.shipment.fileAt(word) ?? this.fileInAnyStage(word);
    if (/^(?:pip[\d.]*|uv|pipx)$/.test(name) && rest.some((word) => word === 'install' || word === 'add')) {
      for (const [index, word] of rest.entries()) {
        const before = rest[index - 1] ?? '';
        const file = /^(?:-r|--requirement)$/.test(before) ? word : /^-r(.+)/.exec(word)?.[1];
        if (file !== undefined) {
          const own = this.shipment.isDocker ? fileOf(file) : this.namedInBuild(file);
          if (own !== undefined) this.readFile(own, at);
          else if (/\$/.test(file)) this.hasOthers = true;
        } else if (/^\.(?:\/|\[|$)/.test(word)) this.editable(word);
        else if (
          !/^-|^(?:install|pip|add)$/.test(word) &&
          !/^(?:-c|--constraint|-i|--index-url|--extra-index-url|-f|--find-links|-t|--target|--prefix|--python|--root-user-action|--timeout|--trusted-host|--cache-dir)$/.test(
            before,
          )
        )
          this.add(word, at);
      }
    } else if (
      (name === 'poetry' && rest[0] === 'install') ||
      (name === 'uv' && rest[0] === 'sync') ||
      (name === 'pdm' && /^(?:install|sync)$/.test(rest[0] ?? ''))
    ) {
      if (!rest.includes('--no-root') && !rest.includes('--no-install-project')) this.installsItself = true;
      this.readProject(fileOf('pyproject.toml') ?? 'pyproject.toml');
    } else if (/^(?:conda|mamba|micromamba)$/.test(name)) {
      const file = rest.find(
        (word, index) => /^(?:-f|--file|-n)$/.test(rest[index - 1] ?? '') && /\.ya?ml$/.test(word),
      );
      const own =
        file && (fileOf(file) ?? this.shipment.paths.find((path) => posix.basename(path) === posix.basename(file)));
      if (own) this.readEnvironment(own);
      else
        for (const word of rest)
          if (/^[a-z][\w.-]*(?:[=<>].*)?$/.test(word) && !/^(?:install|create|env|clean|update|base)$/.test(word))
            this.list(word.split(/[=<>]/)[0] ?? '', [], '', at);
    } else if (/^(?:apt-get|apt|apk)$/.test(name))
      for (const word of rest)
        if (/^[a-z0-9]/.test(word)) this.apt.add(word.replace(/[=/].*$/, ''));
        else if (
          /^(?:pipenv|rye|hatch|make|just)$/.test(name) ||
          (/^(?:ba|da)?sh$|\.sh$/.test(name) && !rest.includes('-c'))
        )
          this.hasOthers = true;
    if (/^python/.test(name) && rest.includes('download')) this.list(rest.at(-1) ?? '', [], '', at);
    if (name === 'spacy' && rest[0] === 'download') this.list(rest[1] ?? '', [], '', at);
  }

  /** A file that a command of the build may make is not looked for. */
  private namedInBuild(file: string): string | undefined {
    const path = posix.normalize(file);
    const makes = /^(?:git|curl|wget|cd|tar|unzip|cp|mv|python[\d.]*|(?:ba)?sh|hf|huggingface-cli|gdown|aws)$/;
    if (this.shipment.sent.has(path) || !this.shipment.buildCommands().some(({ words }) => makes.test(words[0] ?? '')))
      return path;
    this.hasOthers = true;
    return undefined;
  }

  private fileInAnyStage(word: string): string | undefined {
    for (const stage of this.shipment.dockerfile()?.image.stages ?? []) {
      const file = stage.files.get(posix.resolve(stage.workdir, word));
      if (file !== undefined) return file;
    }
    return undefined;
  }
}

interface Project {
  project?: { dependencies?: string[]; 'optional-dependencies'?: Record<string, string[]> };
  'dependency-groups'?: Record<string, unknown[]>;
  tool?: { poetry?: { dependencies?: Record<string, string | { extras?: string[]; version?: string }> } };
}

/** Images of systems and languages have no packages of their own. */
const plainImage =
  /^(?:docker\.io\/|public\.ecr\.aws\/docker\/)?(?:library\/)?(?:debian|ubuntu|python|alpine|fedora|node|golang|rust|php|ruby|scratch|nginx|busybox|bitnami\/python|continuumio\/\w+|mambaorg\/\w+|condaforge\/\w+|nvidia\/cuda|ghcr\.io\/astral-sh\/uv|astral\/uv|denoland\/deno|oven\/bun|gcr\.io\/distroless\/\S+)(?::|@|$)|^ghcr\.io\/astral-sh\/uv/;

/** Other packages that have the modules of one: `psycopg2-binary`, `faiss-cpu`, `opencv-python` for `opencv-python-headless`. */
function isOneOf(known: string, plain: string, names: ReadonlySet<string>): boolean {
  if (names.has(known)) return true;
  const stem = known.replace(/-(?:headless|cpu|gpu|binary|python)(?:-headless)?$/, '');
  return [...names].some(
    (name) =>
      name.startsWith(`${known}-`) ||
      (stem.length > 3 && (name === stem || name.startsWith(`${stem}-`))) ||
      (plain !== known && name.startsWith(`${plain}-`)),
  );
}

export function lineWith(text: string, part: string): number | undefined {
  const at = text.split('\n').findIndex((line) => line.includes(part));
  return at < 0 ? undefined : at + 1;
}
