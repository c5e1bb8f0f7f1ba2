import type { ShellCommand } from './shell.ts';

/** What an image has. Nothing of it is changed: what an instruction makes of it is another value. */
export interface ImageState {
  /** The image it is made from, through the stages of the file. */
  base: string;
  workdir: string;
  user: string;
  /** Files of the app by their path in the image. */
  files: ReadonlyMap<string, string>;
  written: ReadonlyMap<string, string>;
  /** Files and folders that also have what is not from the app. */
  others: readonly OtherPlace[];
  environment: ReadonlyMap<string, string>;
  commands: readonly RunCommand[];
}

export interface OtherPlace {
  path: string;
  from?: { stage: Stage; path: string } | undefined;
}

export interface RunCommand extends ShellCommand {
  before: ImageState;
  cwd: string;
  /** Whether it sees files that are only mounted. */
  hasMounts: boolean;
  /** Folders whose content the image does not keep. */
  caches: readonly string[];
}

export interface ImageCommand {
  words: string[];
  line: number;
  isShell: boolean;
}

export interface Stage extends ImageState {
  name: string;
  line: number;
  ports: readonly { port: string; line: number }[];
  users: readonly { user: string; line: number; before: ImageState }[];
  copies: readonly Copy[];
  entrypoint?: ImageCommand | undefined;
  cmd?: ImageCommand | undefined;
  command?: ImageCommand | undefined;
}

/** What COPY or ADD takes from the context, from another stage, or from another image. */
export interface Copy {
  line: number;
  sources: string[];
  from?: string;
  stage: Stage;
}

/** An image that nothing was brought into yet. */
export const emptyStage = (base: string, workdir: string): Stage => ({
  base,
  workdir,
  user: base.startsWith('mambaorg/micromamba') ? 'mambauser' : 'root',
  files: new Map(),
  written: new Map(),
  others: [],
  environment: new Map(),
  commands: [],
  ports: [],
  users: [],
  copies: [],
  name: '',
  line: 0,
});

/** A stage by its name, or its number from 0. */
export const stageNamed = (stages: readonly Stage[], name = ''): Stage | undefined =>
  stages.find(
    (each, at) => (each.name !== '' && each.name.toLowerCase() === name.toLowerCase()) || String(at) === name,
  );

/** Whether a path is a folder, or below it. */
export const isBelowOrSame = (path: string, folder: string) =>
  path === folder || folder === '/' || path.startsWith(`${folder}/`);
