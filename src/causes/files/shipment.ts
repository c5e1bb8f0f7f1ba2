import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { defaultExclude } from '../../app/collect.ts';
import type { AppConfig } from '../../app/config.ts';
import { type DockerImage, readImage, type Stage } from '../../app/docker-image.ts';
import type { FileEntry, SkippedFile } from '../../app/files/entry.ts';
import { exclusionReason } from '../../app/files/exclusion-reason.ts';
import { readBytesIfPresent } from '../../app/read-text.ts';
import { sections } from '../../app/schema.ts';
import { type Server, type ShellCommand, serverOf, shellCommands } from '../../app/shell.ts';
import { once } from './once.ts';

/** Longer files are no source, and no settings. */
const maxBytes = 1024 * 1024;
/** The folder of the app in the image of the platform. */
const appHome = '/cortex';

/** What is sent, and what it becomes in the image. */
export class Shipment {
  readonly config: AppConfig;
  /** By its path in the app folder. */
  readonly sent: ReadonlyMap<string, FileEntry>;
  readonly paths: readonly string[];
  private readonly skipped: readonly SkippedFile[];
  private readonly bytesOf = new Map<string, Buffer | undefined>();

  constructor(config: AppConfig, entries: readonly FileEntry[], skipped: readonly SkippedFile[]) {
    this.config = config;
    this.sent = new Map(entries.map((entry) => [entry.path, entry]));
    this.paths = [...this.sent.keys()];
    this.skipped = skipped;
  }

  /** Undefined for a file that is not sent, or that is too long. */
  bytes(path: string): Buffer | undefined {
    const entry = this.sent.get(path);
    if (!entry || entry.size > maxBytes) return undefined;
    if (!this.bytesOf.has(path)) {
      const { source } = entry;
      this.bytesOf.set(path, 'text' in source ? Buffer.from(source.text) : readBytesIfPresent(source.file));
    }
    return this.bytesOf.get(path);
  }

  text(path: string): string | undefined {
    return this.bytes(path)?.toString();
  }

  /** Whether the folder has a file or a folder of this name, sent or not. */
  exists(path: string): boolean {
    return path !== '' && !path.startsWith('..') && existsSync(join(this.config.root, path));
  }

  isFolder(path: string): boolean {
    return statSync(join(this.config.root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  }

  /** The names of a folder on the disk. */
  list(folder: string): string[] {
    try {
      return readdirSync(join(this.config.root, folder));
    } catch {
      return [];
    }
  }

  /** Whether a folder or a module of this name is beside the app folder. */
  besides(name: string): boolean {
    const near = join(this.config.root, '..', name);
    return name !== '' && (existsSync(`${near}.py`) || existsSync(join(near, '__init__.py')));
  }

  hasFolder(path: string): boolean {
    return path === '' || this.paths.some((file) => file.startsWith(`${path}/`));
  }

  /** Files and folders of the app folder that are not sent. */
  get unsent(): readonly string[] {
    return this.skipped
      .filter(({ reason }) => /^(?:excluded|not-included|dockerignored|gitignored)$/.test(reason.kind))
      .map(({ path }) => path);
  }

  /** Why a file that is there is not sent, the setting that says so, and what helps. */
  reasonOf(path: string): { why: string; fix: string; setting: string } {
    const { exclude = defaultExclude } = this.config.deployment;
    const ignored = this.skipped.find(
      ({ path: one, reason }) =>
        reason.kind === 'dockerignored' && (one === path || (one.endsWith('/') && path.startsWith(one))),
    );
    if (ignored && 'by' in ignored.reason)
      return {
        why: `${ignored.reason.by} leaves it out`,
        fix: `remove that line, or add !${path} below it`,
        setting: 'runtime.custom.dockerfile_path',
      };
    const { why, pattern } = exclusionReason(path, exclude);
    return pattern === undefined
      ? { why, fix: `add "${path}" to include`, setting: 'deployment.include' }
      : {
          why,
          fix: `remove "${pattern}" from exclude, or change it to match fewer files`,
          setting: 'deployment.exclude',
        };
  }

  /** Of an app that is built from a Dockerfile. */
  dockerfile = once((): { path: string; image: DockerImage; stage: Stage } | undefined => {
    const path = this.config.custom?.dockerfile_path;
    const name = path === undefined ? '' : posix.normalize(path.replaceAll('\\', '/'));
    const text =
      path === undefined
        ? undefined
        : (this.text(name) ?? readBytesIfPresent(resolve(this.config.root, name))?.toString());
    if (text === undefined) return undefined;
    const image = readImage(
      text,
      this.paths.filter((file) => file !== 'cerebrium.toml' || this.sent.has(file)),
    );
    const stage = image.stages.at(-1);
    return stage && { path: name, image, stage };
  });

  get isDocker(): boolean {
    return this.config.custom?.dockerfile_path !== undefined;
  }

  /** Files of the app by their path in the image. */
  inImage = once((): ReadonlyMap<string, string> => {
    const stage = this.dockerfile()?.stage;
    return stage?.files ?? new Map(this.paths.map((path) => [`${appHome}/${path}`, path]));
  });

  get workdir(): string {
    return this.dockerfile()?.stage.workdir ?? appHome;
  }

  /** `3.11`; undefined if it is not known. */
  python = once((): string | undefined => {
    const stage = this.dockerfile();
    if (!this.isDocker)
      return this.config.deployment.python_version ?? String(sections.deployment.keys.python_version.default);
    const bases = stage?.image.stages.map(
      ({ base }) => /(?:^|\/)python:(\d\.\d+)/.exec(base)?.[1] ?? /(?:^|\/)uv:.*python(\d\.\d+)/.exec(base)?.[1],
    );
    return bases?.at(-1);
  });

  /** Commands of the build, and where they are written. */
  buildCommands = once((): (ShellCommand & { at: NonNullable<FindingPlace> })[] => {
    const docker = this.dockerfile();
    if (docker)
      return docker.image.stages.flatMap(({ commands }) =>
        commands.map((each) => ({ ...each, at: { file: docker.path, line: each.line } })),
      );
    return (['pre_build_commands', 'shell_commands'] as const).flatMap((key) =>
      (this.config.deployment[key] ?? []).flatMap((text) =>
        shellCommands(text).map((each) => ({ ...each, at: { setting: `deployment.${key}` } })),
      ),
    );
  });

  /** What is started, the commands of scripts in their place. */
  started = once((): StartedCommand[] => {
    const { custom, runtime } = this.config;
    const docker = this.dockerfile();
    if (runtime === 'cortex')
      return [{ words: ['python', 'main.py'], line: 0, at: undefined, cwd: appHome, environment: new Map() }];
    const environment = new Map(docker?.stage.environment);
    const base = { cwd: this.workdir, environment };
    if (custom?.entrypoint && !docker)
      return this.expand(custom.entrypoint, { ...base, line: 0, at: { setting: 'runtime.custom.entrypoint' } });
    const command = docker?.stage.command;
    if (!docker || !command) return [];
    const at = { file: docker.path, line: command.line };
    const words = command.isShell ? ['sh', '-c', command.words.join(' ')] : command.words;
    return this.expand(words, { ...base, line: command.line, at });
  });

  private expand(words: readonly string[], from: Omit<StartedCommand, 'words'>, depth = 0): StartedCommand[] {
    if (depth > 3) return [];
    const [program = ''] = words;
    const isShell = /^(?:\S*\/)?(?:ba|da|z)?sh$/.test(program);
    const text = isShell && /^-\w*c$/.test(words[1] ?? '') ? words[2] : undefined;
    const scriptWord =
      isShell && text === undefined
        ? words.slice(1).find((word) => !word.startsWith('-'))
        : /\.sh$/.test(program) || !isShell
          ? program
          : undefined;
    const file = scriptWord === undefined ? undefined : this.fileAt(scriptWord, from.cwd);
    const isScript =
      file !== undefined &&
      (isShell || /\.sh$/.test(file) || this.text(file)?.startsWith('#!/') === true) &&
      !/\.py$/.test(file);
    const script = text ?? (isScript ? this.text(file) : undefined);
    const at = isScript ? { file } : from.at;
    const whole = shellCommands(script ?? quoted(words));
    let { cwd } = from;
    const environment = new Map(from.environment);
    return whole.flatMap((command) => {
      const line = isScript ? command.line : from.line;
      const place = isScript && file !== undefined ? { file, line } : at;
      const [name = '', value = ''] = command.words;
      if (name === 'cd' && !/\$/.test(value)) cwd = posix.resolve(cwd, value);
      const [, variable, set] = /^(\w+)=(.*)$/.exec(name === 'export' ? value : name) ?? [];
      if (variable !== undefined) environment.set(variable, set ?? '');
      const known = {
        words: command.words.map((word) => expandVariables(word, environment)),
        line,
        at: place,
        cwd,
        environment,
      };
      const isNested =
        script !== undefined && depth < 3 && (/^(?:\S*\/)?(?:ba|da|z)?sh$/.test(name) || /\.sh$/.test(name));
      return isNested ? this.expand(command.words, known, depth + 1) : [known];
    });
  }

  /** The file of the app at a path of the image. */
  fileAt(path: string, cwd = this.workdir): string | undefined {
    return this.inImage().get(posix.resolve(cwd, path));
  }

  /** The servers and Python files that are started. */
  servers = once((): (Server & StartedCommand)[] =>
    this.started().flatMap((each) => {
      const server = serverOf(each.words);
      return server ? [{ ...each, ...server }] : [];
    }),
  );

  shown(path: string, cwd: string): string {
    return posix.join(posix.normalize(cwd.replaceAll('\\', '/')), path);
  }
}

type FindingPlace = { file: string; line?: number | undefined } | { setting: string } | undefined;

/** A command that is started: in a folder of the image, with variables. */
export interface StartedCommand extends ShellCommand {
  at: FindingPlace;
  cwd: string;
  environment: ReadonlyMap<string, string>;
}

const quoted = (words: readonly string[]) =>
  words.length === 1
    ? (words[0] ?? '')
    : words.map((word) => (/[\s"'&|;$]/.test(word) ? `'${word.replaceAll("'", '')}'` : word)).join(' ');

function expandVariables(word: string, values: ReadonlyMap<string, string>): string {
  return word.replace(
    /\$(?:(\w+)|\{(\w+)(?::?-([^}]*))?\})/g,
    (whole, plain?: string, braced?: string, otherwise?: string) =>
      values.get(plain ?? braced ?? '') ?? otherwise ?? whole,
  );
}
