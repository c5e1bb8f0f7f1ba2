import type { AppConfig } from './config.ts';
import { isCpuOnly } from './hardware.ts';
import { isHardwareDefault, type Key } from './key.ts';
import { type SectionName, sections } from './schema.ts';

/** One setting of the create-app call, whether or not the user set it. */
export interface AppSetting {
  section: SectionName;
  key: string;
  /** Its name in the create-app call. */
  field: string;
  /** As written; undefined where the user left it out. */
  value?: unknown;
  /** What the platform applies when it is left out; undefined where that is not known. */
  default?: unknown;
  /** What happens when it is left out, where that is no value: "picked by the platform". */
  absent?: string | undefined;
  unit?: string | undefined;
}

/** Every setting of this project's runtime, in the order of the schema. */
export function listAppSettings(project: AppConfig): AppSetting[] {
  const values: Partial<Record<SectionName, Record<string, unknown>>> = {
    deployment: { ...project.deployment, name: project.name },
    hardware: project.hardware,
    scaling: project.scaling,
    runtime: project.container_runtime === undefined ? {} : { container_runtime: project.container_runtime },
    ...(project.runtime !== 'cortex' && { [`runtime.${project.runtime}`]: project.custom ?? project.partner ?? {} }),
  };
  return Object.entries(values).flatMap(([name, written]) => {
    const section = name as SectionName;
    const keys: Record<string, Key> = sections[section].keys;
    return Object.entries(keys).flatMap(([key, facts]) => {
      if (facts.field === undefined) return [];
      const { field, absent, unit } = facts;
      return [{ section, key, field, value: written[key], default: defaultOf(facts, project), absent, unit }];
    });
  });
}

function defaultOf(facts: Key, { hardware }: AppConfig): unknown {
  if (!isHardwareDefault(facts.default)) return facts.default;
  return isCpuOnly(hardware.compute) ? facts.default.cpu : facts.default.gpu;
}
