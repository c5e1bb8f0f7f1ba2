import type { AppArchive } from '../../app/archive.ts';
import { gantryCommand, sentence } from '../../kernel/command-line.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { stringifyJson } from '../../kernel/json-text.ts';
import { shortBuild } from '../../kernel/output/format.ts';
import type { Context } from '../../platform/context.ts';
import { type AppCreation, liveBuild } from '../../platform/contract/apps.ts';
import { untilKnown, waitForChange } from '../../platform/waiting/index.ts';
import { readHistory } from '../history/index.ts';
import { compareBody } from './app-settings.ts';
import { type DeployedState, lookAtDeployed } from './deployed-state.ts';
import type { LocalApp } from './local-app.ts';
import { describeSent, digests, type Plan, type SentPlan } from './plan-file.ts';

/** What a plan is compared with. */
export interface PlannedDeploy {
  body: AppCreation;
  archive?: AppArchive | undefined;
  /** The build that this deploy has created; it is checked before the upload then. */
  created?: string | undefined;
  /** One more build may be this deploy's own: the reply that would tell was lost. */
  hasLost: boolean;
  /** Other builds in progress are waited for, and what they change is seen afterwards. */
  willWait: boolean;
}

/**
 * The error if anything that the plan is bound to has changed. What was sent cannot change once the build is
 * created. The deployed app can, at any time, and by the request that created the build as well: settings that are equal
 * to those that it sent are this deploy's own.
 */
export async function whyNotAsPlanned(
  context: Context,
  local: LocalApp,
  plan: Plan,
  deploy: PlannedDeploy,
): Promise<ConflictError | undefined> {
  const { body, archive, created, willWait } = deploy;
  const sent = created === undefined ? listSent(plan, await describeSent(context, local, body, archive)) : [];
  const look = async () => {
    const now = await lookAtDeployed(context, body.name);
    const deployed =
      created === undefined ? listDeployed(plan, now) : await listOthers(context, local, plan, now, deploy);
    const { busy, behind, unlisted } = willWait ? noBusy : listBusy(plan, now, created);
    return { moved: [...sent, ...deployed, ...busy], behind, unlisted };
  };
  // Of deploys of one plan at the same moment, those whose builds were created later yield.
  const isSettled = ({ moved, behind, unlisted }: Awaited<ReturnType<typeof look>>) =>
    moved.length > 0 || behind.length + unlisted.length === 0;
  const known = created === undefined ? look : () => untilKnown(look, context.delay);
  const last = await waitForChange(known, isSettled, context.delay);
  const moved = [...last.moved, ...last.unlisted];
  if (moved.length === 0) return undefined;
  const shown = moved.slice(0, maxShown).join(', ');
  const more = moved.length > maxShown ? ` and ${moved.length - maxShown} more` : '';
  return new ConflictError(`not as planned: ${shown}${more}`, {
    why: 'the plan was made for other settings, files or another state of the deployed app',
    fix: sentence`make a new plan, with the same flags: ${gantryCommand`deploy --dry-run --save-plan FILE`}`,
    details: { app: plan.app, moved },
  });
}

const maxShown = 5;

/** What differs in what would be sent, in the user's words. */
function listSent(planned: Plan, now: SentPlan): string[] {
  const target = (['platform', 'project', 'app'] as const).filter((name) => planned[name] !== now[name]);
  const settings = changedKeys(planned.settings, now.settings);
  const named = [
    ...target,
    ...settings.map((field) => (field === 'platform_toml' ? 'the config file' : `setting ${field}`)),
    ...changedKeys(planned.files, now.files),
  ];
  const isOtherArchive = planned.archive.zlib === now.archive.zlib && planned.archive.sha256 !== now.archive.sha256;
  return named.length === 0 && isOtherArchive ? ['the archive'] : named;
}

function listDeployed({ app, live: planned }: Plan, { live }: DeployedState): string[] {
  if (planned && live) return changedKeys(planned, digests(live)).map(deployedField);
  return planned || live ? [`${app} is ${live ? 'deployed now' : 'not deployed any more'}`] : [];
}

/** What differs once the build is created, other than by that. A new app is shown from then on, or its build is. */
async function listOthers(
  context: Context,
  { project }: LocalApp,
  { app, live: planned }: Plan,
  now: DeployedState,
  { body, created = '' }: PlannedDeploy,
): Promise<string[]> {
  if (!now.app || !now.live) return planned || !now.listed.includes(created) ? [`${app} was deleted`] : [];
  const history = await readHistory(context, app);
  const build = liveBuild(now.app);
  const sent = build === undefined ? undefined : history.sent(build);
  const made = sent && { sent: sent.settings, shown: history.firstSettingsOf(sent.build) };
  const compared = compareBody(project, body, now.app, made ?? {});
  const settings = new Map(compared.map(({ returned, differs }) => [returned, differs]));
  const isOther = (field: string) => settings.get(field) ?? field !== 'cerebriumVersion';
  if (planned) return changedKeys(planned, digests(now.live)).filter(isOther).map(deployedField);
  const others = [...settings].flatMap(([field, differs]) => (differs ? [field] : []));
  return [...(build === undefined ? [] : ['latestReadyBuildId']), ...others].map(deployedField);
}

const noBusy = { busy: [], behind: [], unlisted: [] };

/**
 * Builds in progress that the plan does not know. Behind: created after the build of this deploy, to which they may yield.
 * Unlisted: only the app shows them.
 */
function listBusy(planned: Plan, { app, builds, listed, isBehind }: DeployedState, created: string | undefined) {
  const latest = app?.latestCreatedBuildId;
  const isUnlisted = created !== undefined && latest && latest !== created && !listed.includes(latest);
  const isOther = (id: string) => id !== created && !planned.builds.includes(id);
  const isFirst = (id: string) => created === undefined || !isBehind(id, created);
  const others = builds.filter(isOther);
  const name = (id: string) => `build ${shortBuild(id)} in progress`;
  return {
    busy: others.filter(isFirst).map(name),
    behind: others.filter((id) => !isFirst(id)),
    unlisted: isUnlisted && isOther(latest) ? [name(latest)] : [],
  };
}

function deployedField(field: string): string {
  return field === 'latestReadyBuildId' ? 'the live build' : `deployed ${field}`;
}

function changedKeys(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => stringifyJson(before[name]) !== stringifyJson(after[name]));
}
