import { sections } from '../schema.ts';
import { type ConfigIssue, errorAt, warningAt } from '../toml/issue.ts';
import { isReadable, type Rule, type RuleInput } from './rule.ts';

export const scalingRule: Rule = function* (app) {
  yield* replicas(app);
  yield* resourceMetric(app);
  yield* percentTarget(app);
};

function* replicas(app: RuleInput): Generator<ConfigIssue> {
  const { min_replicas: min, max_replicas: max } = app.sections.scaling ?? {};
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
function* resourceMetric(app: RuleInput): Generator<ConfigIssue> {
  const { scaling_metric: metric, scaling_buffer: buffer = 0, min_replicas: min } = app.sections.scaling ?? {};
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

function* percentTarget({ sections: { scaling = {} } }: RuleInput): Generator<ConfigIssue> {
  const { scaling_target: target = 0, scaling_metric: metric = 'concurrency_utilization' } = scaling;
  if (target <= 100 || !metric.endsWith('_utilization')) return;
  const why = `${metric} is a percentage, 1 to 100`;
  yield warningAt('scaling.scaling_target', `scaling_target ${target} is outside the documented range`, {
    why,
    fix: 'scaling_target = 100',
  });
}
