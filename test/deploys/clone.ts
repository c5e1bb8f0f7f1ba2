import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Outcome, Setting } from '../support/gantry.ts';
import type { AppOf, Machine, Stage } from './stage.ts';

const sent = ['main.py', 'cerebrium.toml'];

/** A clone of a repository, on a machine. */
export class Clone {
  readonly #files = new Map<string, string>();

  private constructor(
    readonly stage: Stage,
    readonly machine: Machine,
  ) {}

  /** A repository with a commit on `main`. */
  static async of(stage: Stage): Promise<Clone> {
    const clone = new Clone(stage, await stage.machine());
    clone.git('init', '--quiet', '--template=', '--initial-branch=main');
    // Branches are pushed to it, and commits that no branch has any more are fetched, as from a server.
    for (const name of ['receive.denyCurrentBranch=ignore', 'uploadpack.allowAnySHA1InWant=true']) {
      clone.git('config', ...name.split('='));
    }
    await clone.commit({ version: 1 });
    return clone;
  }

  /** Another clone of it, on a machine of its own, with a commit checked out. */
  async clone({ depth, at }: { depth?: number; at?: string } = {}): Promise<Clone> {
    const other = new Clone(this.stage, await this.stage.machine());
    const { folder } = other.machine;
    await rm(folder, { recursive: true });
    execFileSync('git', ['init', '--quiet', '--template=', '--initial-branch=main', folder]);
    other.git('remote', 'add', 'origin', `file://${this.machine.folder}`);
    if (depth === undefined) other.git('fetch', '--quiet', 'origin');
    if (at !== undefined) other.git('fetch', '--quiet', ...(depth ? [`--depth=${depth}`] : []), 'origin', at);
    other.git('reset', '--quiet', '--hard', at ?? 'origin/main');
    return other;
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
  async commit(app: AppOf | string): Promise<string> {
    if (typeof app === 'string') await this.write('.notes', app);
    else await this.machine.write(app);
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', 'next');
    return this.id('HEAD');
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
