import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import type { AppConfig } from '../../app/config.ts';
import { type DockerImage, readImage } from '../../app/docker-image.ts';
import type { FileEntry, SkippedFile } from '../../app/files/entry.ts';
import { lacks } from '../../app/image-contents.ts';
import { emptyStage, type ImageState, type RunCommand, type Stage } from '../../app/image-stage.ts';
import { readBytesIfPresent } from '../../app/read-text.ts';
import { sections } from '../../app/schema.ts';
import { assignedIn, type Server, type ShellCommand, serverOf, shellCommands, unwrapped } from '../../app/shell.ts';
import { fits } from '../../kernel/groups.ts';
import { once, onceFor } from '../../kernel/once.ts';
import { ignoredBy, leftOut } from '../left-out.ts';
import { makesOf } from './built.ts';
import { scriptCommands } from './package-json.ts';
import { processManager } from './process-managers.ts';
import { commandsOf, type StartedCommand } from './script-commands.ts';
import type { CausePlace } from './seen-cause.ts';

/** Longer files are no source, and no settings. */
const maxBytes = 1024 * 1024;
/** So much is looked at: an app of more is data, for the most part. In bytes. */
const maxFiles = 400;
const maxTotal = 16 * 1024 * 1024;
/** The folder of the app in the image of the platform. */
const appHome = '/cortex';

/** The Python of distributions. */
const pythons: readonly (readonly [image: RegExp, python: string])[] = [
  [/^(?:ubuntu:|nvidia\/cuda:.*ubuntu)20\.04/, '3.8'],
  [/^(?:ubuntu:|nvidia\/cuda:.*ubuntu)22\.04|^ubuntu:jammy/, '3.10'],
  [/^(?:ubuntu:|nvidia\/cuda:.*ubuntu)24\.04|^ubuntu:noble/, '3.12'],
  [/^debian:(?:11|bullseye)/, '3.9'],
  [/^debian:(?:12|bookworm)/, '3.11'],
  [/^debian:(?:13|trixie)/, '3.13'],
];

/** A Dockerfile of the app, what it makes, and its last stage. */
export interface Docker {
  path: string;
  text: string;
  image: DockerImage;
  stage: Stage;
}

/** What is sent, and what it becomes in the image. */
export class Shipment {
  readonly config: AppConfig;
  /** Files by their path in the app folder. */
  readonly sent: ReadonlyMap<string, FileEntry>;
  readonly paths: readonly string[];
  private readonly skipped: readonly SkippedFile[];
  private readonly bytesOf = new Map<string, Buffer | undefined>();
  private readonly made = new Map<RunCommand, ReturnType<typeof makesOf>>();
  private total = 0;

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
      if (this.bytesOf.size >= maxFiles || this.total + entry.size > maxTotal) return undefined;
      this.total += entry.size;
      const { source } = entry;
      this.bytesOf.set(path, 'text' in source ? Buffer.from(source.text) : readBytesIfPresent(source.file));
    }
    return this.bytesOf.get(path);
  }

  text = (path: string): string | undefined => this.bytes(path)?.toString();

  /** The text of a file, empty where there is none. */
  read = (path: string): string => this.text(path) ?? '';

  /** Whether the folder has a file or a folder of this name, sent or not. */
  exists = (path: string): boolean => path !== '' && !path.startsWith('..') && existsSync(join(this.config.root, path));

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

  /** Whether this command writes it, and refuses or replaces what is there. */
  isOutput(path: string): boolean {
    return this.skipped.some((each) => each.path === path && each.reason.kind === 'output');
  }

  hasFolder(path: string): boolean {
    return this.folders().has(path || '.');
  }

  private folders = once((): ReadonlySet<string> => {
    const folders = new Set(['.', ...this.paths.map((file) => posix.dirname(file))]);
    // A set that grows is walked to its end.
    for (const folder of folders) folders.add(posix.dirname(folder));
    return folders;
  });

  /** Files and folders of the app folder that are not sent. */
  get unsent(): readonly string[] {
    return this.skipped
      .filter(({ reason }) => /^(?:excluded|not-included|dockerignored|gitignored)$/.test(reason.kind))
      .map(({ path }) => path);
  }

  /** Why a file or a folder which is there is not sent, the setting that says so, and what helps. */
  whyUnsent(given: string): { why: string; fix: string; setting: string } {
    if (!this.isFolder(given)) return this.exclusionOf(given);
    const folder = `${given.replace(/\/$/, '')}/`;
    return this.exclusionOf(this.unsentIn(folder), folder);
  }

  /** A file of a folder that is not sent. */
  private unsentIn(folder: string): string {
    const path = this.unsent.find((each) => each.startsWith(folder)) ?? folder;
    return path.endsWith('/') ? `${path}file` : path;
  }

  private exclusionOf(path: string, shownAs = path) {
    const ignored = this.skipped.find(
      ({ path: one, reason }) =>
        /^(?:docker|git)ignored$/.test(reason.kind) && (one === path || (one.endsWith('/') && path.startsWith(one))),
    );
    return ignored && 'by' in ignored.reason
      ? ignoredBy(ignored.reason.by, shownAs)
      : leftOut(path, this.config.deployment, shownAs);
  }

  /** The Dockerfile that the app is built from. */
  dockerfile = once((): Docker | undefined => {
    const named = this.config.custom?.dockerfile_path;
    if (named === undefined) return undefined;
    const path = posix.normalize(named.replaceAll('\\', '/'));
    const text = this.text(path) ?? readBytesIfPresent(resolve(this.config.root, path))?.toString() ?? '';
    const image = readImage(text, this.paths);
    const stage = image.stages.at(-1);
    return stage && { path, text, image, stage };
  });

  /** The stages of its Dockerfile. */
  get stages(): readonly Stage[] {
    return this.dockerfile()?.image.stages ?? [];
  }

  get isDocker(): boolean {
    return this.config.custom?.dockerfile_path !== undefined;
  }

  /** The image that the app runs in: the last stage of its Dockerfile, or the platform's, which has the app in its folder. */
  stage = once((): Stage => this.dockerfile()?.stage ?? this.platformStage());

  private platformStage(): Stage {
    const { runtime, custom, deployment } = this.config;
    const words = runtime === 'cortex' ? ['python', 'main.py'] : custom?.entrypoint;
    return {
      ...emptyStage(this.isDocker ? '' : (deployment.docker_base_image_url ?? 'debian:bookworm-slim'), appHome),
      files: new Map(this.paths.map((path) => [`${appHome}/${path}`, path])),
      command: words && { words, line: 0, isShell: false },
    };
  }

  /** Whether an image surely has no such file. */
  lacks(image: ImageState, path: string): boolean {
    return lacks(image, path, (step) => onceFor(this.made, step, () => makesOf(step, this.text)));
  }

  /** `3.11`; undefined if it is not known. */
  python = once((): string | undefined => {
    if (!this.isDocker)
      return this.config.deployment.python_version ?? String(sections.deployment.keys.python_version.default);
    const { base, commands } = this.stage();
    const ofImage = /(?:^|\/)(?:python:|uv:.*python)(3\.\d+)/.exec(base)?.[1];
    const brings = commands.some(({ words }) =>
      /python3\.\d|pyenv|conda|mamba|ppa:|uv (?:python|venv|sync)/.test(words.join(' ')),
    );
    return ofImage ?? (brings ? undefined : pythons.find(([image]) => image.test(base))?.[1]);
  });

  /** Commands of the build, with the image that they find, and where they are written. */
  buildCommands = once((): BuildCommand[] => {
    if (this.dockerfile()) return this.ownSteps();
    return (['pre_build_commands', 'shell_commands'] as const).flatMap((key) =>
      (this.config.deployment[key] ?? []).flatMap((text) =>
        shellCommands(text).map((each) => ({ ...each, before: this.stage(), at: { setting: `deployment.${key}` } })),
      ),
    );
  });

  buildTexts = once((): string[] => this.buildCommands().map(({ words }) => words.join(' ')));

  /** Whether a command of the build is as a pattern says. */
  builds = (pattern: RegExp): boolean => this.buildTexts().some((text) => pattern.test(text));

  /** The commands of a Dockerfile; those of a stage that another one begins with are its own. */
  ownSteps = once((): ImageStep[] =>
    this.stages.flatMap((stage) =>
      stage.commands
        .filter(({ line }) => line > stage.line)
        .map((each) => ({ ...each, stage, at: { file: this.dockerfile()?.path ?? '', line: each.line } })),
    ),
  );

  /** These commands, the scripts of package.json in their place. */
  steps = once((): ImageStep[] =>
    this.ownSteps().flatMap((step) => {
      const commands = scriptCommands(step, step.cwd, step.before.files, this.text) ?? [step];
      return commands.map(({ words }) => ({ ...step, words }));
    }),
  );

  /** Where the command of the start is written; the default runtime has its own. */
  get startedAt(): CausePlace | undefined {
    const docker = this.dockerfile();
    if (docker) return { file: docker.path, line: docker.stage.command?.line };
    return this.config.runtime === 'cortex' ? undefined : { setting: 'runtime.custom.entrypoint' };
  }

  /** What is started, the commands of scripts in their place. */
  started = once((): StartedCommand[] => {
    const { workdir: cwd, environment, command } = this.stage();
    if (!command) return [];
    const words = command.isShell ? ['sh', '-c', command.words.join(' ')] : command.words;
    return this.expand({ words, before: this.stage(), cwd, environment, line: command.line, at: this.startedAt });
  });

  /** A command that starts others is these; a process manager goes on beside them. */
  private expand(given: StartedCommand, depth = 0): StartedCommand[] {
    const words = unwrapped(given.words);
    const command = { ...given, words, environment: new Map([...given.environment, ...assignedIn(given.words)]) };
    if (depth > 3) return [command];
    const managed = this.managed(command);
    const inner = managed ?? this.ofPackageJson(command) ?? this.ofShell(command);
    if (!inner) return [command];
    const expanded = inner.flatMap((each) => this.expand(each, depth + 1));
    return managed ? [command, ...expanded] : expanded;
  }

  /** What a process manager starts. */
  private managed(command: StartedCommand): StartedCommand[] | undefined {
    const { words, cwd } = command;
    const manager = processManager(words);
    const files = this.managedFiles(command);
    if (!manager || files.length === 0) return undefined;
    return files.flatMap((file) => commandsOf({ file, text: manager.script(this.read(file), cwd), rest: [] }, command));
  }

  /** The files that list what a process manager starts: the first that is there, or those of a folder. */
  managedFiles({ words, cwd }: StartedCommand): string[] {
    const paths = processManager(words)?.files(words) ?? [];
    const files = paths.map((path) =>
      path.endsWith('*')
        ? [...this.stage().files].flatMap(([each, file]) => (each.startsWith(path.slice(0, -1)) ? [file] : []))
        : [this.fileAt(path, cwd) ?? []].flat(),
    );
    return files.find((each) => each.length > 0) ?? [];
  }

  private ofPackageJson(command: StartedCommand): StartedCommand[] | undefined {
    const commands = scriptCommands(command, command.cwd, this.stage().files, this.text);
    return commands?.map(({ words }) => ({ ...command, words }));
  }

  /** What a shell runs: `sh -c TEXT`, `sh FILE`, or a file that is a script of a shell. */
  private ofShell(command: StartedCommand): StartedCommand[] | undefined {
    const { words, cwd } = command;
    const isShell = fits(/^(?:\S*\/)?(?:ba|da|z)?sh$/, words[0]);
    const at = isShell ? words.findIndex((word, index) => index > 0 && !word.startsWith('-')) : 0;
    const rest = words.slice(at + 1);
    if (isShell && fits(/^-\w*c$/, words[at - 1])) return commandsOf({ text: words[at] ?? '', rest }, command);
    const path = posix.resolve(cwd, words[at] ?? '');
    const file = this.fileAt(path);
    const text = at < 0 ? undefined : file === undefined ? this.stage().written.get(path) : this.text(file);
    const isScript = isShell || fits(/^#!.*\b(?:ba|da|z)?sh\b/, text) || path.endsWith('.sh');
    return text !== undefined && isScript ? commandsOf({ file, text, rest }, command) : undefined;
  }

  /** Files that a command of the build or of the start names first, and scripts whose commands are started. */
  startedFiles = once((): string[] => {
    const named = [...this.buildCommands(), ...this.started()].flatMap(({ words, at, ...each }) => [
      ...words.slice(0, 2).flatMap((word) => this.fileAt(word, 'cwd' in each ? String(each.cwd) : undefined) ?? []),
      ...[at?.file ?? ''].filter((file) => this.sent.has(file)),
    ]);
    return [...new Set(named)].filter((file) => file !== this.dockerfile()?.path);
  });

  /** The file of the app at a path of the image. */
  fileAt(path: string, cwd = this.stage().workdir): string | undefined {
    return this.stage().files.get(posix.resolve(cwd, path));
  }

  /** The servers and Python files that are started. */
  servers = once((): StartedServer[] =>
    this.started().flatMap((each) => {
      const server = serverOf(each.words) ?? this.ownScript(each.words);
      return server ? [{ ...each, ...server }] : [];
    }),
  );

  /** A command that the project itself brings: `shop = "shop.cli:main"`. */
  private ownScript(words: readonly string[]): Server | undefined {
    const program = posix.basename(words[0] ?? '');
    const text = this.text('pyproject.toml')
      ?.split(/^\[(?:project|tool\.poetry)\.scripts\]/m)[1]
      ?.split(/^\[/m)[0];
    const row = new RegExp(`^["']?${program.replace(/\W/g, '\\$&')}["']?\\s*=\\s*["']([\\w.]+):(\\w+)`, 'm');
    const [, module, attribute] = (program !== '' && row.exec(text ?? '')) || [];
    return module === undefined || attribute === undefined ? undefined : { program, module, attribute, words };
  }
}

/** A command of the build, with the image that it finds. */
export interface BuildCommand extends ShellCommand {
  at: CausePlace;
  before: ImageState;
}

/** A command of a stage. */
export interface ImageStep extends RunCommand {
  stage: Stage;
  at: CausePlace & { file: string };
}

/** A command that is a server or runs a Python file. */
export type StartedServer = Server & StartedCommand;
