import { join } from 'node:path';
import { after, every, onAbort } from '../../../clock.ts';
import { isAlive, newOwnerName, parseOwnerName } from '../../../disk/index.ts';
import { processGroup, processTree } from '../metrics/process-usage.ts';
import { askEngine, type ContainerEngine } from './container-engine.ts';
import { AppProcess, describeExit } from './process.ts';

/** An image that was built for a build of an app, and stays as long as that. */
export interface OwnImage {
  tag: string;
  containers: OwnContainers;
}

interface ImageBuild {
  id: string;
  /** The files of the app. */
  folder: string;
  /** Relative to the folder. */
  dockerfile: string;
  print(text: string): void;
  signal: AbortSignal;
}

/** The image of an app with a Dockerfile cannot be built. */
export class ImageBuildError extends Error {}

const labelName = 'gantry-emulator';

/**
 * The images and containers of one emulator. Their label names it, and so does each of their names: no other emulator has
 * the same ones, and another one removes them when it is dead.
 */
export class OwnContainers {
  readonly #owner = newOwnerName();
  readonly #label = `${labelName}=${this.#owner}`;
  /** Images are built and removed one after another: a removal takes layers that a build would use. */
  #images: Promise<unknown> = Promise.resolve();

  private constructor(readonly engine: ContainerEngine) {}

  /** Removes what emulators of this machine have left that were killed. */
  static async on(engine: ContainerEngine): Promise<OwnContainers> {
    const containers = new OwnContainers(engine);
    await containers.#removeAll((owner) => {
      const parsed = parseOwnerName(owner);
      return parsed !== undefined && isAlive(parsed) === false;
    });
    return containers;
  }

  /** The image gets no variables of the app: they are for its containers. */
  buildImage(build: ImageBuild): Promise<OwnImage> {
    const { id, folder, dockerfile, signal } = build;
    const tag = `${labelName}:${this.#nameOf(id)}`;
    const args = ['build', '--label', this.#label, '--tag', tag, '--file', join(folder, dockerfile), folder];
    return this.#inTurn(async () => {
      for (let triesLeft = 3; ; triesLeft--) {
        signal.throwIfAborted();
        const { exit, isOthersFault } = await this.#build(args, build);
        signal.throwIfAborted();
        if (exit.code === 0) return { tag, containers: this };
        if (isOthersFault && triesLeft > 1) continue;
        throw new ImageBuildError(`its image cannot be built: ${this.engine.program} ended with ${describeExit(exit)}`);
      }
    });
  }

  async removeImage({ tag }: OwnImage): Promise<void> {
    await this.#inTurn(() => this.#ask('image', 'rm', tag));
  }

  /** Runs a container in the foreground. `name` is unique in this emulator. */
  run(name: string, args: readonly string[], env: NodeJS.ProcessEnv): AppProcess {
    const words = ['run', '--name', this.#nameOf(name), '--label', this.#label, ...endsAtOnce, ...args];
    return new AppProcess(this.engine.program, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async isRunning(name: string): Promise<boolean> {
    const format = '{{.State.Running}}';
    const { output } = await this.#ask('inspect', '--type', 'container', '--format', format, this.#nameOf(name));
    return output.trim() === 'true';
  }

  async remove(name: string): Promise<void> {
    await this.#ask('rm', '--force', this.#nameOf(name));
  }

  /** Removes everything of this emulator, also the parts of images that were not completed. */
  clear(): Promise<void> {
    return this.#inTurn(() => this.#removeAll((owner) => owner === this.#owner));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#images.then(work);
    this.#images = done.catch(() => {});
    return done;
  }

  async #build(args: readonly string[], { print, signal }: ImageBuild) {
    const build = new AppProcess(this.engine.program, [...args], {
      env: process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let isOthersFault = false;
    const onLine = (text: string) => {
      isOthersFault ||= lostLayer.test(text);
      print(text);
    };
    for (const output of [build.child.stdout, build.child.stderr]) build.onLine(output, onLine);
    const timers: (() => void)[] = [];
    onAbort(signal, () => {
      if (this.engine.leavesSteps) timers.push(every(100, () => endSteps(build.child.pid)));
      else build.kill('SIGTERM');
      timers.push(after(stepEndMs, () => build.kill('SIGKILL')));
    });
    const exit = await build.ended.finally(() => {
      for (const stop of timers) stop();
    });
    return { exit, isOthersFault };
  }

  /** Errors are ignored: what remains only takes space. Images are listed newest first, as they have to be removed. */
  async #removeAll(isWanted: (owner: string) => boolean): Promise<void> {
    const containers = await this.#find(['ps', '--all'], 'container', isWanted);
    if (containers.length > 0) await this.#ask('rm', '--force', ...containers);
    const images = await this.#find(['image', 'ls', '--all'], 'image', isWanted);
    if (images.length > 0) await this.#ask('image', 'rm', '--force', ...images);
  }

  /** The templates of the lists differ between docker and podman, but not those of `inspect`. */
  async #find(list: readonly string[], type: string, isWanted: (owner: string) => boolean): Promise<string[]> {
    const found = await this.#ask(...list, '--quiet', '--no-trunc', '--filter', `label=${labelName}`);
    const ids = found.output.split('\n').filter((id) => id.trim() !== '');
    if (ids.length === 0) return [];
    const format = `{{.Id}} {{index .Config.Labels "${labelName}"}}`;
    const { output } = await this.#ask('inspect', '--type', type, '--format', format, ...ids);
    const labels = output.split('\n').map((line) => line.trim().split(' '));
    return labels.flatMap(([id, owner]) => (id && owner && isWanted(owner) ? [id] : []));
  }

  #ask(...args: string[]) {
    return askEngine(this.engine.program, args);
  }

  #nameOf(name: string): string {
    return `${this.#owner.slice(-16)}-${name}`.replace(/[^\w.-]/g, '_');
  }
}

/** What an engine says when another emulator has removed a part that this build was using. */
const lostLayer = /layer not known|image not known|identifier is not (?:a layer|an image)/;

/** Before it removes one that runs, podman would wait ten seconds for it to end. */
const endsAtOnce = ['--stop-timeout', '0'];

const stepEndMs = 5_000;

/** Ends the programs of a build: then podman removes its working containers, which a signal makes it leave behind. */
function endSteps(engine: number | undefined): void {
  try {
    const own = engine === undefined ? [] : processGroup(engine);
    const steps = own.flatMap(processTree).filter((pid) => !own.includes(pid));
    for (const pid of new Set(steps)) process.kill(pid, 'SIGKILL');
  } catch {
    // They have ended, or this system has no /proc.
  }
}
