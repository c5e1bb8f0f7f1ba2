import { defined } from '../kernel/json-text.ts';
import type { AppConfig } from './config.ts';
import { isCpuOnly } from './hardware.ts';
import { type SectionName, sections } from './schema.ts';
import { fieldOf, isHardwareDefault, type Key } from './schema-keys.ts';

/** A setting of the create-app request, whether or not it is in the config file. */
export interface AppSetting {
  section: SectionName;
  key: string;
  field: string;
  value?: unknown;
  default?: unknown;
  absent?: string | undefined;
  unit?: string | undefined;
}

/** Every setting that applies to the runtime, in the order of the schema. */
export function listAppSettings(config: AppConfig): AppSetting[] {
  const values: Partial<Record<SectionName, Record<string, unknown>>> = {
    deployment: { ...config.deployment, name: config.name },
    hardware: config.hardware,
    scaling: config.scaling,
    runtime: { container_runtime: config.container_runtime },
    ...(config.partner && { [`runtime.${config.runtime}`]: config.partner }),
    ...defined({ 'runtime.custom': config.custom }),
  };
  return Object.entries(values).flatMap(([name, written]) => {
    const section = name as SectionName;
    const keys: Record<string, Key> = sections[section].keys;
    return Object.entries(keys).flatMap(([key, facts]) => {
      // Of a partner's service in an own server, the port is that of the server.
      const isOfServer = key === 'port' && config.custom && section !== 'runtime.custom';
      const field = fieldOf(key, facts);
      if (field === null || isOfServer) return [];
      const { absent, unit } = facts;
      return [{ section, key, field, value: written[key], default: defaultValue(facts, config), absent, unit }];
    });
  });
}

function defaultValue(facts: Key, { hardware }: AppConfig): unknown {
  if (!isHardwareDefault(facts.default)) return facts.default;
  return isCpuOnly(hardware.compute) ? facts.default.cpu : facts.default.gpu;
}

/** The key in the config file of a field of the create-app request: `min_replicas` of `minReplicaCount`. */
export function keyOfField(field: string): string | undefined {
  for (const { keys } of Object.values(sections)) {
    const entry = Object.entries<Key>(keys).find(([name, key]) => fieldOf(name, key) === field);
    if (entry) return entry[0];
  }
  return undefined;
}
