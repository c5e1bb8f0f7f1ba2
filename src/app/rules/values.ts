import { isPlainImage } from '../image-contents.ts';
import { partners, type SectionName, sectionNames, sections } from '../schema.ts';
import type { Key } from '../schema-keys.ts';
import { tomlAssignment, toToml } from '../toml/format.ts';
import { errorAt, type Issues, warningAt } from '../toml/issue.ts';
import { documentedValues } from '../toml/suggestions.ts';
import { dockerfileLine } from './files.ts';
import { acceptedRange } from './hardware.ts';
import { type ConfigRule, isReadable, type RuleInput, selectRuntime } from './rule.ts';

/** Warns about undocumented values: the platform may accept them. */
export const valuesRule: ConfigRule = function* ({ sections: draft }) {
  for (const name of sectionNames) {
    const keys: Record<string, Key> = sections[name].keys;
    const values: Record<string, unknown> = draft[name];
    for (const [key, value] of Object.entries(values)) {
      const facts = keys[key];
      if (facts?.oneOf) yield* outsideList(name, key, facts, facts.oneOf, value);
      const accepted = name === 'hardware' ? acceptedRange(draft.hardware, key) : undefined;
      if (facts?.range) yield* outsideRange(name, key, facts, facts.range, value, accepted);
    }
  }
};

function* outsideList(section: SectionName, key: string, { strict }: Key, values: readonly string[], value: unknown) {
  const items = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');
  for (const item of items.filter((item) => !values.includes(item))) {
    const others = values.filter((name) => !items.includes(name));
    const lines = documentedValues(key, item, others).map((value) => {
      const fixed = items.length > 1 ? items.map((other) => (other === item ? value : other)) : value;
      return tomlAssignment(key, toToml(fixed));
    });
    yield (strict ? errorAt : warningAt)(
      `${section}.${key}`,
      strict ? `invalid ${key} ${toToml(item)}` : `${key} ${toToml(item)} is not a documented value`,
      {
        why: `${strict ? 'expected' : 'documented:'} ${values.join(', ').replace(/, ([^,]+)$/, ' or $1')}`,
        fix: lines.length > 0 ? lines.join(' or ') : undefined,
      },
    );
  }
}

function* outsideRange(
  section: SectionName,
  key: string,
  { unit }: Key,
  [min, max = Number.POSITIVE_INFINITY]: NonNullable<Key['range']>,
  value: unknown,
  [least, most] = [min, max],
): Issues {
  if (typeof value !== 'number' || (value >= min && value <= max)) return;
  const range = max === Number.POSITIVE_INFINITY ? `${min} or more` : `${min} to ${max}`;
  yield warningAt(`${section}.${key}`, `${key} ${value} is outside the documented range`, {
    why: unit ? `${range} ${unit}` : range,
    fix: `${key} = ${value < min ? Math.max(min, least) : Math.min(max, most)}`,
  });
}

export const scalingRule: ConfigRule = function* (app) {
  yield* replicas(app);
  yield* resourceMetric(app);
  yield* percentTarget(app);
};

function* replicas(app: RuleInput): Issues {
  const { min_replicas: min, max_replicas: max } = app.sections.scaling;
  if (min === undefined || !isReadable(app, 'scaling.max_replicas')) return;
  const fix = `max_replicas = ${min}`;
  if (max !== undefined && min > max) {
    yield errorAt('scaling.min_replicas', `min_replicas ${min} exceeds max_replicas ${max}`, { fix });
  } else if (max === undefined && min > 1) {
    const why = `max_replicas is not set and defaults to ${sections.scaling.keys.max_replicas.default}`;
    yield warningAt('scaling.min_replicas', `min_replicas ${min} exceeds max_replicas`, { why, fix });
  }
}

/** The platform rejects metrics that need a running replica with these settings. */
function* resourceMetric(app: RuleInput): Issues {
  const { scaling_metric: metric, scaling_buffer: buffer = 0, min_replicas: min } = app.sections.scaling;
  if (metric !== 'cpu_utilization' && metric !== 'memory_utilization') return;
  if (!min && isReadable(app, 'scaling.min_replicas')) {
    const why = `the platform rejects it with min_replicas 0${min === undefined ? ', which is the default' : ''}`;
    yield warningAt('scaling.scaling_metric', `${metric} needs a replica that always runs`, {
      why,
      fix: 'min_replicas = 1',
    });
  }
  if (buffer > 0) {
    const why = `the platform rejects it with scaling_metric = "${metric}"`;
    yield warningAt('scaling.scaling_buffer', 'scaling_buffer is not supported with this metric', {
      why,
      fix: 'scaling_buffer = 0',
    });
  }
}

function* percentTarget({ sections: { scaling } }: RuleInput): Issues {
  const { scaling_target: target = 0, scaling_metric: metric = 'concurrency_utilization' } = scaling;
  if (target <= 100 || !metric.endsWith('_utilization')) return;
  const why = `${metric} is a percentage, 1 to 100`;
  yield warningAt('scaling.scaling_target', `scaling_target ${target} is outside the documented range`, {
    why,
    fix: 'scaling_target = 100',
  });
}

export const runtimeRule: ConfigRule = function* (app) {
  yield* oneRuntime(app);
  yield* nothingToStart(app);
};

function* oneRuntime(app: RuleInput): Issues {
  const [first, ...others] = partners.filter((name) => app.written.has(`runtime.${name}`));
  for (const other of others) {
    yield errorAt(`runtime.${other}`, `[cerebrium.runtime.${other}] contradicts [cerebrium.runtime.${first}]`, {
      why: 'an app has one partner: remove one section',
    });
  }
}

function* nothingToStart(app: RuleInput): Issues {
  const custom = app.sections['runtime.custom'];
  if (custom.entrypoint || custom.dockerfile_path || selectRuntime(app) !== 'custom') return;
  if (!isReadable(app, 'runtime.custom.entrypoint', 'runtime.custom.dockerfile_path')) return;
  const port = custom.port ?? sections['runtime.custom'].keys.port.default;
  // Another image may bring a server that its CMD starts; a plain one ends at once.
  const issueAt = isPlainImage(app.sections.deployment.docker_base_image_url ?? 'debian:') ? errorAt : warningAt;
  yield issueAt('runtime.custom', 'the custom runtime has nothing to start', {
    why: 'set an entrypoint, or a dockerfile_path with a CMD',
    fix: dockerfileLine(app.root) ?? `entrypoint = ["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "${port}"]`,
    missing: ['runtime.custom.entrypoint', 'runtime.custom.dockerfile_path'],
  });
}
