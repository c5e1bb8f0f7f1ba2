import { execFile } from 'node:child_process';

/** docker or podman, with what it can limit of a container on this machine. */
export interface ContainerEngine {
  program: string;
  limitsMemory: boolean;
  /** How many processors a container may have at most; 0 if they cannot be limited. */
  processors: number;
}

/** The container engine of this machine: docker or podman, whichever answers first in this order; undefined without one. */
export function findContainerEngine(): Promise<ContainerEngine | undefined> {
  const path = process.env.PATH ?? '';
  const known = engines.get(path) ?? findFirst(['docker', 'podman']);
  engines.set(path, known);
  return known;
}

/** By PATH. */
const engines = new Map<string, Promise<ContainerEngine | undefined>>();

async function findFirst(programs: readonly string[]): Promise<ContainerEngine | undefined> {
  for (const program of programs) {
    const { failed, output } = await askEngine(program, ['info', '--format', '{{json .}}']);
    if (failed) continue;
    // As docker says it, and as podman does.
    const { NCPU, MemoryLimit, CpuCfsQuota, host } = JSON.parse(output);
    const limits = (name: string) => host?.cgroupControllers?.includes(name) === true;
    const processors = (CpuCfsQuota ?? limits('cpu')) ? (NCPU ?? host?.cpus) : 0;
    return { program, limitsMemory: MemoryLimit ?? limits('memory'), processors };
  }
  return undefined;
}

/** Runs a short command of an engine. Its service may not be running. */
export function askEngine(program: string, args: readonly string[]): Promise<{ failed: boolean; output: string }> {
  return new Promise((done) => {
    execFile(program, args, { timeout: 30_000 }, (error, output) => done({ failed: error !== null, output }));
  });
}
