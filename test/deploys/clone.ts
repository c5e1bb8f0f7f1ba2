import { execFileSync } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { newFolder } from '../support/files.ts';
import type { Outcome, Setting } from '../support/gantry.ts';
import type { AppOf, Machine, Stage } from './stage.ts';

const sent = ['main.py', 'cerebrium.toml'];

/** Where git has that repository, by the folder of the test file. */
const made = new Map<string, string>();

/** A clone of a repository, on a machine. */
export class Clone {
  readonly #files = new Map<string, string>();

  private constructor(
    readonly stage: Stage,
    readonly machine: Machine,
  ) {}

  /** A repository with a commit on `main`: the first one of a test file is made by git, the others are copies of it. */
  static async of(stage: Stage): Promise<Clone> {
    const clone = new Clone(stage, await stage.machine());
    const own = join(clone.machine.folder, '.git');
    const copied = made.get(tmpdir());
    if (copied !== undefined) {
      await cp(copied, own, { recursive: true });
      return clone;
    }
    // Branches are pushed to it, and commits that no branch has any more are fetched, as from a server.
    clone.#atOnce(
      'init --quiet --template= --initial-branch=main',
      'config receive.denyCurrentBranch ignore',
      'config uploadpack.allowAnySHA1InWant true',
    );
    await clone.commit({ version: 1 });
    const copy = newFolder();
    await cp(own, copy, { recursive: true });
    made.set(tmpdir(), copy);
    return clone;
  }

  /** Another clone of it, on a machine of its own, with a commit checked out. */
  async clone({ depth, at }: { depth?: number; at?: string } = {}): Promise<Clone> {
    const other = new Clone(this.stage, await this.stage.machine());
    const { folder } = other.machine;
    const url = `file://${this.machine.folder}`;
    await rm(folder, { recursive: true });
    await mkdir(folder);
    const fetch = `fetch --quiet ${depth ? `--depth=${depth}` : ''} origin ${at}`;
    other.#atOnce(
      ...(depth === undefined
        ? [`clone --quiet --template= --branch=main ${url} .`]
        : ['init --quiet --template= --initial-branch=main', `remote add origin ${url}`]),
      ...(at === undefined ? [] : [fetch, `reset --quiet --hard ${at}`]),
    );
    return other;
  }

  /** Several commands of git, with one start of a program: it begins as a copy of this process, which is large. */
  #atOnce(...lines: string[]): void {
    const script = lines.map((line) => `git ${line}`).join(' && ');
    execFileSync('sh', ['-c', script], { cwd: this.machine.folder, stdio: 'pipe' });
  }

  git(...words: string[]): string {
    return execFileSync('git', words, { cwd: this.machine.folder, stdio: 'pipe', encoding: 'utf8' }).trim();
  }

  id(revision: string): string {
    return this.git('rev-parse', revision);
  }

  async write(path: string, text: string): Promise<void> {
    const file = join(this.machine.folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  /** Commits this version of the app, or a file that is not sent. */
  async commit(app: AppOf | string): Promise<void> {
    if (typeof app === 'string') await this.write('.notes', app);
    else await this.machine.write(app);
    this.#atOnce('add --all', 'commit --quiet --allow-empty --message next');
  }

  /** What a deploy of a commit sends. */
  files(commit: string): string {
    const id = commit.length === 40 ? commit : this.id(commit);
    const known = this.#files.get(id) ?? sent.map((path) => this.git('show', `${id}:${path}`)).join('\n');
    this.#files.set(id, known);
    return known;
  }

  run(line: string, setting: Setting = {}): Promise<Outcome> {
    return this.machine.run(line, setting);
  }
}

/** What the platform has got of the app that serves. */
export function servedFiles({ platform }: Stage): string {
  const files = platform.world.builds.get(platform.live() ?? '')?.files;
  return sent.map((path) => String(files?.get(path)).trim()).join('\n');
}
