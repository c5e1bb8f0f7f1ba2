import { partners, sections } from '../schema.ts';
import { type ConfigIssue, errorAt, warningAt } from '../toml/issue.ts';
import { isReadable, type Rule, type RuleInput } from './rule.ts';

export const runtimeRule: Rule = function* (app) {
  yield* oneRuntime(app);
  yield* nothingToStart(app);
  yield* portOfEntrypoint(app);
};

function* oneRuntime(app: RuleInput): Generator<ConfigIssue> {
  const runtimes = ['custom', ...partners] as const;
  const [first, ...others] = runtimes.filter((name) => app.sections[`runtime.${name}`]);
  for (const other of others) {
    yield errorAt(`runtime.${other}`, `[cerebrium.runtime.${other}] contradicts [cerebrium.runtime.${first}]`, {
      why: 'an app has one runtime: remove one of the sections',
    });
  }
}

function* nothingToStart(app: RuleInput): Generator<ConfigIssue> {
  const custom = app.sections['runtime.custom'];
  if (!custom || custom.entrypoint || custom.dockerfile_path) return;
  if (!isReadable(app, 'runtime.custom.entrypoint', 'runtime.custom.dockerfile_path')) return;
  yield warningAt('runtime.custom', 'nothing here tells how to start the app', {
    why: 'a custom runtime has an entrypoint, or a dockerfile_path with a CMD',
    fix: 'entrypoint = ["uvicorn", "main:app", "--host", "0.0.0.0", "--port", "8000"]',
  });
}

/** The platform sends requests to `port`; a server on another one never answers. */
function* portOfEntrypoint(app: RuleInput): Generator<ConfigIssue> {
  const custom = app.sections['runtime.custom'];
  const listens = portsIn(custom?.entrypoint ?? []);
  const [first] = listens;
  const port = custom?.port ?? sections['runtime.custom'].keys.port.default;
  if (first === undefined || !isReadable(app, 'runtime.custom.port') || listens.some((one) => one === port)) return;
  const message = `the entrypoint listens on port ${first}, and port is ${port}`;
  const why = custom?.port === undefined ? 'port is not set, which means 8000' : 'both must be the same';
  yield warningAt(custom?.port === undefined ? 'runtime.custom.entrypoint' : 'runtime.custom.port', message, {
    why,
    fix: `port = ${first}`,
  });
}

/** `--port 80`, `--port=80`, `--bind 0.0.0.0:80`, also within `sh -c "…"`. */
function portsIn(entrypoint: readonly string[]): number[] {
  const command = entrypoint.join(' ');
  const flags = command.matchAll(/(?:^|\s)(?:--port[= ]\s*|(?:--bind|-b)[= ]\s*\S*:)(\d{1,5})(?!\S)/g);
  return [...flags].map(([, port]) => Number(port));
}
