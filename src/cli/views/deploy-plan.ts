import type { FileChanges } from '../../deploys/builds/index.ts';
import type { DeployPlan, SettingChange } from '../../deploys/send/index.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { count, fileSummary, size } from '../../kernel/output/format.ts';
import type { View } from '../../kernel/output/page.ts';
import { redact } from '../../kernel/output/redact.ts';
import { type Columns, stackViews, wrapped, wrappedTable } from '../../kernel/output/table.ts';
import { fileDecisionsView } from './file-decisions.ts';

/** Files to list in each group; the JSON has them all. */
const maxListedFiles = 5;
/** In bytes: a larger file may be in the archive by mistake. */
const largeFileBytes = 10 * 1024 * 1024;

export function deployPlanView(plan: DeployPlan): View {
  return stackViews(
    wrapped((page) => [headline(plan)(page), setupText(plan), sendText(plan)].join('\n')),
    settingsTable(plan.settings),
    fileList(plan.fileChanges),
    plan.selection ? fileDecisionsView(plan.selection) : undefined,
    wrapped(conclusion(plan)),
  );
}

function headline(plan: DeployPlan): View {
  const { app, project, runtime, public: open } = plan;
  return ({ style }) => {
    const access = open ? style.yellow('public: anyone can call it') : 'callers need a token';
    return `${style.bold(app)} in ${project}: ${stateText(plan)}, runtime ${runtime}, ${access}`;
  };
}

function stateText({ exists, build }: DeployPlan): string {
  if (exists === null) return 'unknown whether it is deployed';
  if (!exists) return 'a new app';
  return build === null ? 'created before' : 'already deployed';
}

function setupText({ setup }: DeployPlan): string {
  const { compute, gpuCount, cpu, memory, region, minReplicaCount, maxReplicaCount } = setup;
  const kind = Array.isArray(compute) ? compute.join(' or ') : compute;
  const hardware = [
    gpuCount ? `${gpuCount} x ${kind}` : kind,
    count(Number(cpu), 'core'),
    `${memory} GB`,
    region,
  ].filter(Boolean);
  return `runs on ${hardware.join(', ')}; ${replicaRange(minReplicaCount, maxReplicaCount)}`;
}

function replicaRange(min: unknown, max: unknown): string {
  return min === max ? count(Number(max), 'replica') : `${min} to ${max} replicas`;
}

function settingsTable(changes: SettingChange[]): View {
  return (page) => {
    // Redacted before it is wrapped: a line break would hide a secret from the search for it.
    const text = (value: unknown) => redact(valueText(value), page.secrets);
    const columns: Columns<SettingChange> = {
      SETTING: ({ setting }) => setting,
      FROM: ({ from }) => text(from),
      TO: ({ to }) => text(to),
    };
    if (changes.some((change) => noteText(change))) columns.NOTE = noteText;
    return wrappedTable(changes, columns)(page);
  };
}

function noteText({ byDefault, drifted }: SettingChange): string {
  const notes = [drifted && 'changed outside of the file', byDefault && 'default: not set in the file'];
  return notes.filter(Boolean).join('; ');
}

function fileList(changes: FileChanges | null): View | undefined {
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
  const more = paths.length - maxListedFiles;
  const named = paths.slice(0, maxListedFiles).map((path) => `${mark} ${path}`);
  return more > 0 ? [...named, `${mark} … ${count(more, 'more file')} ${what}`] : named;
}

function sendText({ send }: DeployPlan): string {
  if (send.files === 0) return 'sends no files: the partner provides the app';
  const [first] = send.largest;
  const largest = first && first.bytes >= largeFileBytes ? `, largest: ${first.path} (${size(first.bytes)})` : '';
  return `sends ${fileSummary(send.files, send.bytes)}${largest}`;
}

function conclusion({ exists, changed, build, fileChanges, failedBuild }: DeployPlan): View {
  return ({ style }) => {
    const failed = failedBuild ? `; the last build failed (${failedBuild})` : '';
    if (exists === null) return style.bold('no comparison: cannot read the deployed app');
    if (!exists) return style.bold('a deploy would create the app');
    if (build === null) return style.bold(`no build serves: a deploy would change that${failed}`);
    if (changed) return style.bold(`a deploy would change the app${failed}`);
    return style.bold((fileChanges ? 'no changes' : 'no changed settings; files were not compared') + failed);
  };
}

function valueText(value: unknown): string {
  // Kinds of hardware, as the platform shows the one it chose.
  if (Array.isArray(value) && value.length > 0 && value.every((each) => /^\w+$/.test(String(each))))
    return value.join(' or ');
  return typeof value === 'string' ? value || '""' : stringifyJson(value);
}
