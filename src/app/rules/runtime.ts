import { partners, sections } from '../schema.ts';
import { type ConfigIssue, errorAt, warningAt } from '../toml/issue.ts';
import { dockerfileLine } from './files.ts';
import { isReadable, type Rule, type RuleInput, selectRuntime } from './rule.ts';

export const runtimeRule: Rule = function* (app) {
  yield* oneRuntime(app);
  yield* nothingToStart(app);
  yield* entrypointPort(app);
};

function* oneRuntime(app: RuleInput): Generator<ConfigIssue> {
  const [first, ...others] = partners.filter((name) => app.sections[`runtime.${name}`]);
  for (const other of others) {
    yield errorAt(`runtime.${other}`, `[cerebrium.runtime.${other}] contradicts [cerebrium.runtime.${first}]`, {
      why: 'an app has one partner: remove one section',
    });
  }
}

function* nothingToStart(app: RuleInput): Generator<ConfigIssue> {
  const custom = app.sections['runtime.custom'];
  if (!custom || custom.entrypoint || custom.dockerfile_path || selectRuntime(app.sections) !== 'custom') return;
  if (!isReadable(app, 'runtime.custom.entrypoint', 'runtime.custom.dockerfile_path')) return;
  const port = custom.port ?? sections['runtime.custom'].keys.port.default;
  yield warningAt('runtime.custom', 'the custom runtime has nothing to start', {
    why: 'set an entrypoint, or a dockerfile_path with a CMD',
    fix: dockerfileLine(app.root) ?? `entrypoint = ["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "${port}"]`,
    missing: ['runtime.custom.entrypoint', 'runtime.custom.dockerfile_path'],
  });
}

/** The platform sends requests to `port`. */
function* entrypointPort(app: RuleInput): Generator<ConfigIssue> {
  const custom = app.sections['runtime.custom'];
  const ports = portsIn(custom?.entrypoint ?? []);
  const [first] = ports;
  const port = custom?.port ?? sections['runtime.custom'].keys.port.default;
  if (first === undefined || !isReadable(app, 'runtime.custom.port') || ports.some((one) => one === port)) return;
  const message = `the entrypoint listens on port ${first}, but port is ${port}`;
  const why = custom?.port === undefined ? 'port is not set and defaults to 8000' : 'both must be equal';
  yield warningAt(custom?.port === undefined ? 'runtime.custom.entrypoint' : 'runtime.custom.port', message, {
    why,
    fix: `port = ${first}`,
  });
}

/** Finds `--port 80`, `--port=80` and `--bind 0.0.0.0:80`, also in `sh -c "…"`. */
function portsIn(entrypoint: readonly string[]): number[] {
  const command = entrypoint.join(' ');
  const flags = command.matchAll(/(?:^|\s)(?:--port[= ]\s*|(?:--bind|-b)[= ]\s*\S*:)(\d{1,5})(?!\S)/g);
  return [...flags].map(([, port]) => Number(port));
}
