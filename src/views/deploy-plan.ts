import { stringifyJson } from '../json-text.ts';
import type { DeployPlan, FileChanges, SettingChange } from '../operations/deploy/index.ts';
import { count, fileSummary, size } from '../output/format.ts';
import type { View } from '../output/page.ts';
import { stackViews, table } from '../output/table.ts';

/** Changed files named in each group; the JSON has them all. */
const namedFiles = 5;
/** From here on (bytes) the largest file is likely to be there by mistake, or worth a thought. */
const worthNaming = 10 * 1024 * 1024;

/** What a deploy would send and change, before it does. */
export function deployPlanView(plan: DeployPlan): View {
  return stackViews(
    (page) => [headline(plan)(page), setup(plan), sent(plan)].join('\n'),
    settings(plan.settings),
    files(plan.files),
    verdict(plan),
  );
}

function headline({ app, project, exists, runtime, public: open }: DeployPlan): View {
  return ({ style }) => {
    const access = open ? style.yellow('public: anyone can call it') : 'callers need a token';
    const state = exists === null ? 'not known whether it is deployed' : exists ? 'deployed already' : 'a new app';
    return `${style.bold(app)} in ${project}: ${state}, runtime ${runtime}, ${access}`;
  };
}

function setup({ setup: wanted }: DeployPlan): string {
  const { compute, gpuCount, cpu, memory, region, minReplicaCount, maxReplicaCount } = wanted;
  const kind = Array.isArray(compute) ? compute.join(' or ') : compute;
  const hardware = [
    gpuCount ? `${gpuCount} x ${kind}` : kind,
    count(Number(cpu), 'core'),
    `${memory} GB`,
    region,
  ].filter(Boolean);
  return `runs on ${hardware.join(', ')}; ${minReplicaCount} to ${maxReplicaCount} replicas`;
}

function settings(changes: SettingChange[]): View {
  return table(changes, {
    SETTING: ({ setting }) => setting,
    FROM: ({ from }) => shown(from),
    TO: ({ to }) => shown(to),
    NOTE: ({ byDefault }) => (byDefault ? 'default: the file does not set it' : ''),
  });
}

function files(changes: FileChanges | null): View | undefined {
  if (!changes) return undefined;
  return ({ style }) =>
    [
      group(style.green('+'), changes.added, 'added'),
      group(style.yellow('~'), changes.changed, 'changed'),
      group(style.red('-'), changes.removed, 'removed'),
    ]
      .flat()
      .join('\n');
}

function group(mark: string, paths: string[], what: string): string[] {
  const more = paths.length - namedFiles;
  const named = paths.slice(0, namedFiles).map((path) => `${mark} ${path}`);
  return more > 0 ? [...named, `${mark} … ${count(more, 'more file')} ${what}`] : named;
}

function sent({ send }: DeployPlan): string {
  if (send.files === 0) return 'sends nothing: the partner brings the app';
  const [first] = send.largest;
  const biggest = first && first.bytes >= worthNaming ? `, the largest ${first.path} (${size(first.bytes)})` : '';
  return `sends ${fileSummary(send.files, send.bytes)}${biggest}`;
}

function verdict({ exists, changes, files, failedBuild }: DeployPlan): View {
  return ({ style }) => {
    if (exists === null) return style.bold('the deployed app could not be read: nothing was compared');
    if (!exists) return style.bold('the app would be created');
    if (failedBuild) return style.bold(`the last build failed (${failedBuild}): a deploy would try again`);
    if (changes) return style.bold('the app would change');
    return style.bold(files ? 'no change' : 'no change in the settings; the files were not compared');
  };
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value || '""' : stringifyJson(value);
}
