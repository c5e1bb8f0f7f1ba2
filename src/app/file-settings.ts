import type { Values } from './schema.ts';
import type { Draft } from './toml/sections.ts';

export interface FileSettings {
  deployment: Values<'deployment'>;
  /** Package names and versions as written. */
  dependencies: {
    pip: Record<string, string>;
    conda: Record<string, string>;
    apt: Record<string, string>;
    /** Relative to the app folder. */
    paths: Values<'dependencies.paths'>;
  };
}

/** The platform takes an empty list of patterns for its default, so an empty list is absent. */
export function readFileSettings(sections: Draft['sections']): FileSettings {
  const { include = [], exclude = [], ...deployment } = sections.deployment ?? {};
  const lists = { ...(include.length > 0 && { include }), ...(exclude.length > 0 && { exclude }) };
  return {
    deployment: { ...lists, ...deployment },
    dependencies: {
      pip: sections['dependencies.pip'] ?? {},
      conda: sections['dependencies.conda'] ?? {},
      apt: sections['dependencies.apt'] ?? {},
      paths: sections['dependencies.paths'] ?? {},
    },
  };
}
