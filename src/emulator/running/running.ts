import type { Model } from '../model/model.ts';
import type { AppRunner } from './app-runner.ts';

/** The model, and what runs its apps. */
export interface Running extends Model {
  /** Runs apps, and keeps what they print. */
  readonly runner: AppRunner;
}
