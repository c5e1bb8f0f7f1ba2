import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, every, onAbort } from '../../../kernel/clock.ts';
import { isAlive, newOwnerName, parseOwnerName } from '../../../kernel/disk/index.ts';
import { attempt } from '../../../kernel/errors.ts';
import { onceFor, Sequence } from '../../../kernel/once.ts';
import { AppProcess, describeExit, outputOf } from './process.ts';
import { processGroup, processTree } from './usage.ts';

/** An image that was built for a build of an app, and stays as long as that. */
export interface OwnImage {
  tag: string;
  containers: OwnContainers;
}

/** Who waits for the image of a build, and sees what its build prints. */
export interface ImageAudience {
  print(text: string): void;
  signal: AbortSignal;
}

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
  readonly #images = new Sequence();

  private constructor(readonly engine: ContainerEngine) {}

  /** Removes what emulators of this machine have left that were killed. */
  static async on(engine: ContainerEngine): Promise<OwnContainers> {
    const containers = new OwnContainers(engine);
    await containers.#removeAll(labelName, (ids) => containers.#ofDeadOwners(ids));
    return containers;
  }

  /** Builds the image of a folder and a Dockerfile in it. It gets no variables of the app: they are for its containers. */
  buildImage(id: string, folder: string, dockerfile: string, audience: ImageAudience): Promise<OwnImage> {
    const tag = `${labelName}:${this.#nameOf(id)}`;
    const args = ['build', '--label', this.#label, '--tag', tag, '--file', join(folder, dockerfile), folder];
    return this.#images.run(async () => {
      for (let triesLeft = 2; ; triesLeft--) {
        const { problem, isOthersFault } = await this.#build(args, audience);
        audience.signal.throwIfAborted();
        if (!problem) return { tag, containers: this };
        if (!isOthersFault || triesLeft === 0) throw new ImageBuildError(`its image cannot be built: ${problem}`);
      }
    });
  }

  async removeImage({ tag }: OwnImage): Promise<void> {
    await this.#images.run(() => this.#ask('image', 'rm', tag));
  }

  /** Runs a container in the foreground. `name` is unique in this emulator. */
  run(name: string, args: readonly string[], env: NodeJS.ProcessEnv): AppProcess {
    // Before it removes a container that runs, podman would wait ten seconds for it to end.
    const words = ['run', '--name', this.#nameOf(name), '--label', this.#label, '--stop-timeout', '0', ...args];
    // Of a container that ran out of memory, podman leaves a file where it was started.
    return new AppProcess(this.engine.program, words, { env, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async isRunning(name: string): Promise<boolean> {
    return (await this.#ask('inspect', '--format', '{{.State.Running}}', this.#nameOf(name))).trim() === 'true';
  }

  async remove(name: string): Promise<void> {
    await this.#ask('rm', '--force', this.#nameOf(name));
  }

  /** Removes everything of this emulator, also the parts of images that were not completed. */
  clear(): Promise<void> {
    return this.#images.run(() => this.#removeAll(this.#label));
  }

  async #build(args: string[], { print, signal }: ImageAudience) {
    signal.throwIfAborted();
    const { program } = this.engine;
    const build = new AppProcess(program, args, { env: process.env, stdio: ['ignore', 'pipe', 'pipe'] });
    let isOthersFault = false;
    const onLine = (text: string) => {
      isOthersFault ||= lostLayer.test(text);
      print(text);
    };
    for (const output of [build.child.stdout, build.child.stderr]) build.onLine(output, onLine);
    const stopSteps = every(100, () => signal.aborted && endSteps(build.child.pid));
    const stopListening = onAbort(signal, () => {
      after(stepEndMs, () => build.kill('SIGKILL'), { background: true });
    });
    const exit = await build.ended.finally(() => {
      stopSteps();
      stopListening();
    });
    return { problem: exit.code === 0 ? undefined : `${program} ended with ${describeExit(exit)}`, isOthersFault };
  }

  /** Errors are ignored: what remains only takes space. Images are listed newest first, as they have to be removed. */
  async #removeAll(label: string, select = async (ids: string[]) => ids): Promise<void> {
    for (const [list, remove] of [
      [['ps'], ['rm']],
      [
        ['image', 'ls'],
        ['image', 'rm'],
      ],
    ] as const) {
      // While another emulator removes something, a list may fail, and what it uses stays.
      for (let triesLeft = 5; triesLeft > 0; triesLeft--) {
        const words = [...list, '--all', '--quiet', '--no-trunc', '--filter', `label=${label}`];
        const listed = await outputOf([this.engine.program, ...words]);
        const names = lines(listed ?? '');
        const ids = names.length === 0 ? [] : await select(names);
        if (listed !== undefined && ids.length === 0) break;
        if (ids.length > 0) await this.#ask(...remove, '--force', ...ids);
      }
    }
  }

  /** The templates of lists differ between docker and podman, but not those of `inspect`. */
  async #ofDeadOwners(ids: string[]): Promise<string[]> {
    const format = `{{.Id}} {{index .Config.Labels "${labelName}"}}`;
    return lines(await this.#ask('inspect', '--format', format, ...ids)).flatMap((line) => {
      const [id = '', owner = ''] = line.split(' ');
      const parsed = parseOwnerName(owner);
      return parsed && isAlive(parsed) === false ? [id] : [];
    });
  }

  async #ask(...args: string[]): Promise<string> {
    return (await outputOf([this.engine.program, ...args])) ?? '';
  }

  #nameOf(name: string): string {
    return `${this.#owner.slice(-16)}-${name}`.replace(/[^\w.-]/g, '_');
  }
}

/** What an engine says when another emulator has removed a part that this build was using. */
const lostLayer = /layer not known|image not known|identifier is not (?:a layer|an image)/;

const stepEndMs = 5_000;

/** Ends the programs of a build: then podman removes its working containers, which a signal makes it leave behind. */
function endSteps(engine = 0): void {
  // They may have ended, and this system may have no /proc.
  attempt(() => {
    const group = processGroup(engine);
    const steps = group.flatMap(processTree).filter((pid) => !group.includes(pid));
    for (const pid of new Set(steps)) process.kill(pid, 'SIGKILL');
  });
}

function lines(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || []);
}

/** docker or podman, with what it can limit of a container on this machine. */
interface ContainerEngine {
  program: string;
  limitsMemory: boolean;
  /** How many processors a container may have at most; 0 if they cannot be limited. */
  processors: number;
}

/** The container engine of this machine: docker or podman, whichever answers first in this order; undefined without one. */
export function findContainerEngine(): Promise<ContainerEngine | undefined> {
  return onceFor(engines, process.env.PATH, () => findFirst(['docker', 'podman']));
}

/** Engines that were looked for, by PATH. */
const engines = new Map<string | undefined, Promise<ContainerEngine | undefined>>();

async function findFirst(programs: readonly string[]): Promise<ContainerEngine | undefined> {
  for (const program of programs) {
    // Its service may not be running.
    const output = await outputOf([program, 'info', '--format', '{{json .}}']);
    if (output === undefined) continue;
    // As docker says it, and as podman does.
    const { NCPU, MemoryLimit, CpuCfsQuota, host } = JSON.parse(output);
    const limits = (name: string) => host?.cgroupControllers?.includes(name) === true;
    const processors = (CpuCfsQuota ?? limits('cpu')) ? (NCPU ?? host?.cpus) : 0;
    return { program, limitsMemory: MemoryLimit ?? limits('memory'), processors };
  }
  return undefined;
}
