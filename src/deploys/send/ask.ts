import { ConflictError, type GantryError, InputNeededError } from '../../kernel/errors.ts';
import { readFolderTarget } from '../../platform/config/folder-target.ts';
import { isFolderEmulator } from '../../platform/config/target.ts';
import type { Context } from '../../platform/context.ts';
import type { DeployPlan } from './plan.ts';

/** What a deploy asks for besides its own yes, since it is more than a new version of the app. */
export interface Question {
  text: string;
  /** `--yes` is an answer. */
  takesYes: boolean;
  /** Where nobody can be asked. */
  refusal: GantryError;
}

/** The region that an app would move to, and where it is. */
export function movedRegion({ settings }: Pick<DeployPlan, 'settings'>) {
  return settings.find(({ setting }) => setting === 'hardware.region');
}

/** `isMeant`: whether a new app is what the user wants, by `--new`, `--preview` or a plan. */
export function questionsOf({ settings, cwd, target }: Context, plan: DeployPlan, isMeant: boolean): Question[] {
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
export function refuseUnanswered({ prompt }: Context, questions: readonly Question[]): void {
  if (prompt.isPossible) return;
  const open = questions.find(({ takesYes }) => !(takesYes && prompt.isConfirmed));
  if (open) throw open.refusal;
}
