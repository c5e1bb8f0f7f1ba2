import { relative } from 'node:path';
import { ConflictError, type GantryError, InputNeededError } from '../../kernel/errors.ts';
import { once } from '../../kernel/once.ts';
import { readFolderTarget } from '../../platform/config/folder-target.ts';
import { isFolderEmulator } from '../../platform/config/target.ts';
import type { Context } from '../../platform/context.ts';
import { listApps } from '../../platform/contract/apps.ts';
import { findCommit } from '../commit-of-build.ts';
import { firstRowAsked, readyTable } from '../decide.ts';
import { teamStateOf } from '../team-state/index.ts';
import {
  type Decided,
  type DeployAppOptions,
  decide,
  decideInTurn,
  type Intent,
  isAsked,
  yesNo,
} from './decide-deploy.ts';
import { type Deployment, trySecretsOf } from './deploy-record.ts';
import { tellOnFailure } from './failed-build.ts';
import { readPlanFile, writePlanFile } from './guard.ts';
import { checkToSend, type LocalApp } from './local-app.ts';
import { checkDrift, type DeployPlan } from './plan.ts';
import type { Sent } from './send-build.ts';

/** What a deploy asks for besides its own yes, since it is more than a new version of the app. */
interface Question {
  text: string;
  /** `--yes` is an answer. */
  takesYes: boolean;
  /** Where nobody can be asked. */
  refusal: GantryError;
}

/** A deploy that is decided on. */
export interface Prepared extends Intent, Decided {
  /** What is asked before it is sent, where somebody can be asked. */
  questions: readonly Question[];
}

/** Compares with the deployed app, and decides whether the app is sent. */
export async function prepareDeploy(context: Context, local: LocalApp, options: DeployAppOptions): Promise<Prepared> {
  const { dryRun, ifChanged, applyPlan, savePlan: file, replan, failOnDrift = false } = options;
  const { project } = local;
  const { name: app } = project;
  const secrets = once(() => trySecretsOf(context, app));
  // A deploy that ends early does not wait for a program that it has asked.
  const asking = new AbortController();
  const signal = AbortSignal.any([context.signal, asking.signal]);
  try {
    const check = () => checkToSend(context, local, secrets, signal);
    // An unchanged app has no new mistakes: it is checked once it is known to have changed.
    const checked = ifChanged ? undefined : await check();
    const approved = applyPlan === undefined ? undefined : await readPlanFile(context, applyPlan, { project, replan });
    const here = { app, configFile: relative(context.cwd, project.file) };
    const intent: Intent = { local, options, here, approved, secrets };
    const { plan, made, live, reading } = await decide(context, intent, dryRun);
    checkDrift(context, plan, failOnDrift);
    if (file !== undefined) await writePlanFile(context, local, made.body, reading, file);
    if (!live) await (checked ?? (await check())).end();
    await local.checksums.save();
    const isMeant = options.new === true || options.preview !== undefined;
    const questions = live || dryRun || approved ? [] : questionsOf(context, plan, isMeant);
    // Before a question about an app: nobody can create one in a project that does not exist.
    if (questions.length > 0 && plan.exists === false) await context.api(listApps, { project: context.project });
    refuseUnanswered(context, questions);
    return { ...intent, plan, made, live, reading, questions };
  } finally {
    asking.abort();
  }
}

/** The region that an app would move to, and where it is. */
export function movedRegion({ settings }: Pick<DeployPlan, 'settings'>) {
  return settings.find(({ setting }) => setting === 'hardware.region');
}

/** `isMeant`: whether a new app is what the user wants, by `--new`, `--preview` or a plan. */
function questionsOf({ settings, cwd, target }: Context, plan: DeployPlan, isMeant: boolean): Question[] {
  const { app } = plan;
  const questions: Question[] = [];
  if (isFolderEmulator(target)) return questions;
  const move = movedRegion(plan);
  if (move) {
    questions.push({
      text: `Move ${app} from ${move.from} to ${move.to}? Its volumes stay in ${move.from}.`,
      takesYes: true,
      refusal: new ConflictError(`${app} is in ${move.from}, and this deploy would move it to ${move.to}`, {
        why: `each region has its own volumes: what the app has stored stays where it is; --region ${move.from} leaves the app there`,
        fix: 'to move it',
        retryWith: ['--yes'],
        details: { app, ...move },
      }),
    });
  }
  const last = readFolderTarget(settings.folders, cwd)?.app || undefined;
  if (plan.exists === false && last !== undefined && last !== app && !isMeant) {
    questions.push({
      text: `Create ${app}? This folder has deployed ${last}.`,
      takesYes: false,
      refusal: new InputNeededError(`this folder has deployed ${last}, and ${app} would be a new app`, {
        fix: `to create it (to deploy ${last}, correct the name)`,
        retryWith: ['--new'],
        details: { app, last },
      }),
    });
  }
  return questions;
}

/** Throws the refusal of a question that nobody has answered and nobody can be asked. */
function refuseUnanswered({ prompt }: Context, questions: readonly Question[]): void {
  if (prompt.isPossible) return;
  const open = questions.find(({ takesYes }) => !(takesYes && prompt.isConfirmed));
  if (open) throw open.refusal;
}

/** Carries out what was prepared: sends the app unless it serves, verifies it, and returns to the build before a sick one. */
export async function deployApp(prepared: Prepared): Promise<Deployment> {
  const { plan, live, here, options } = prepared;
  const { limit, orRollback, detach } = options;
  const { context, unlimited } = limit;
  if (orRollback) await (await import('../rollback/index.ts')).warnUnlessKept(context, plan.app, plan.build);
  if (live) teamStateOf(context)?.shareLeft(context);
  const sent = live ? { deployment: live } : await send(context, prepared);
  const done = detach ? sent.deployment : await verify(unlimited, prepared, sent);
  return { ...done, ...(await findCommit(unlimited, here, done.build)) };
}

/** Packs, creates a build, waits for its turn, looks again, uploads, and follows the build. */
async function send(context: Context, prepared: Prepared): Promise<Sent> {
  const { local, made, here, options, approved, secrets } = prepared;
  const { ifBusy, limit, verification, older } = options;
  const sent = await (await import('./send-app.ts')).sendApp(context, local, made, {
    ...options,
    secrets,
    turn: ifBusy === 'wait' ? () => decideInTurn(context, prepared) : undefined,
    guard: { plan: approved, order: older ? undefined : here },
    isVerified: isAsked(verification),
  });
  limit.handOver();
  return sent;
}

/** Goes through the table of what follows once a build is ready. An unchanged build is verified, too. */
async function verify(context: Context, prepared: Prepared, { deployment, before }: Sent): Promise<Deployment> {
  const { local, plan, options } = prepared;
  const { verification, orRollback, configFile, logs, timeout: typedMs } = options;
  const { app, build, changed, serves, status, dashboard } = deployment;
  const minReplicas = Number(plan.setup.minReplicaCount);
  const about = { ...verification, app, build, serves, minReplicas, config: local.project, isNew: changed, before };
  const verified = once(async () => (await import('../verify.ts')).verifyBuild(context, about));
  const goOn = async () => {
    const step = await firstRowAsked(readyTable, {
      serving: serves === undefined ? 'ours' : 'another',
      verifies: yesNo(isAsked(verification)),
      health: async () => (await verified()).finding,
      orRollback: yesNo(orRollback === true),
    });
    if (step === 'stop: live' || step === 'stop: replaced') return deployment;
    const { error, explained, health } = await verified();
    if (step === 'roll back') {
      const { orRollBack } = await import('../rollback/index.ts');
      return orRollBack(context, { configFile, logs, typedMs }, error as GantryError, explained);
    }
    await explained?.();
    if (error) throw error;
    return { ...deployment, ...(health && { health }) };
  };
  return tellOnFailure(context.signal, { app, build, status, dashboard }, goOn, verification.goOn);
}
