import type { PythonCode } from './python.ts';
import type { SeenCause } from './seen-cause.ts';
import type { Shipment } from './shipment.ts';

/** What the platform, the image or Python itself sets. */
const given =
  /^(?:PATH|HOME|USER|PWD|LANG|LC_\w+|TZ|TERM|SHELL|HOSTNAME|PORT|TMPDIR|PYTHON\w*|VIRTUAL_ENV|CUDA_\w+|NVIDIA_\w+|LD_LIBRARY_PATH|CEREBRIUM\w*|APP_(?:\w*ID|NAME)|PROJECT_ID|BUILD_ID|REGION|RUN_ID|PERSISTENT_STORAGE|HF_HOME|REPLICA_ID|KUBERNETES_\w+|POD_\w+|RANK|LOCAL_RANK|WORLD_SIZE|MASTER_\w+)$/;

/** A variable that the code needs, with the first place that reads it. */
export interface Needed {
  name: string;
  file: string;
  line: number;
  /** Whether the code may go on without it. */
  isOptional?: boolean;
}

/** Variables that the code reads and cannot go on without, but for those that something here sets. */
export function neededVariables(shipment: Shipment, code: PythonCode): Needed[] {
  const found = new Map<string, Needed>();
  const set = new Set([
    ...shipment.started().flatMap(({ environment }) => [...environment.keys()]),
    ...(shipment.dockerfile()?.stage.environment.keys() ?? []),
  ]);
  for (const { facts } of code.modules.values())
    for (const { name, arguments: args } of facts.calls)
      if (/environ\.setdefault$|putenv$/.test(name) && args[0]) set.add(args[0]);
  for (const { file, facts } of code.modules.values()) {
    for (const { name, line, isOptional } of [
      ...facts.environment,
      ...facts.required.map((each) => ({ ...each, isOptional: false })),
    ])
      if (!given.test(name) && !set.has(name) && !found.has(name)) found.set(name, { name, file, line, isOptional });
  }
  for (const file of shipment.servers().length > 0 ? [] : shipment.paths) {
    if (!/\.(?:[cm]?[jt]s|go|rs|rb|php)$/.test(file) || /(?:^|\/)(?:tests?|node_modules|dist)\//.test(file)) continue;
    for (const [at, line] of (shipment.text(file) ?? '').split('\n').entries()) {
      const [, ...names] =
        /process\.env\.([A-Z]\w+)|process\.env\[["']([A-Z]\w+)["']\]|Deno\.env\.get\(["']([A-Z]\w+)["']\)|os\.Getenv\("([A-Z]\w+)"\)|env::var\("([A-Z]\w+)"\)|ENV\.fetch\(["']([A-Z]\w+)["']\)|getenv\(["']([A-Z]\w+)["']\)/.exec(
          line,
        ) ?? [];
      const name = names.find(Boolean);
      if (
        name !== undefined &&
        !given.test(name) &&
        !set.has(name) &&
        !found.has(name) &&
        !/\?\?|\|\||unwrap_or|\?:/.test(line) &&
        /KEY|TOKEN|SECRET|PASSWORD|DSN|_UR[LI]$|WEBHOOK/.test(name)
      )
        found.set(name, { name, file, line: at + 1, isOptional: true });
    }
  }
  return [...found.values()];
}

/** Those that neither the project nor the app has as a secret. */
export function missingSecrets(needed: readonly Needed[], names: readonly string[]): SeenCause[] {
  return needed
    .filter(({ name }) => !names.includes(name))
    .map(({ name, file, line, isOptional }) => {
      const other = names.find((each) => each.toLowerCase() === name.toLowerCase());
      return {
        cause: 'secret-missing',
        severity: isOptional ? 'warning' : 'error',
        captured: { name },
        at: { file, line },
        why: other ? `the name of the secret is ${other}` : 'neither the app nor the project has it',
        fix: `gantry secrets set ${name}`,
      };
    });
}
