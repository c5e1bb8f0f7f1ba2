import type { AppCreation } from '../../platform/contract/apps.ts';
import type { Build } from '../../platform/contract/builds.ts';
import type { TimeLimit } from '../../platform/waiting/index.ts';
import type { FollowBuildOptions } from '../builds/index.ts';
import type { BuildCommit } from '../identity.ts';
import type { HealthSeen } from '../verify.ts';
import type { CreateAppOptions } from './app-settings.ts';
import type { BusyPolicy, StuckBuilds } from './busy-builds.ts';
import type { PlannedDeploy } from './plan-file.ts';

/** Of any deploy, also of an archive that is packed already. `config`: the app, to explain a failure. */
export interface SendOptions extends Pick<FollowBuildOptions, 'config' | 'pauses'> {
  /** Return once everything is uploaded. The build continues, and Ctrl-C does not cancel it. */
  detach?: boolean | undefined;
  logs: boolean;
  limit: TimeLimit;
  /** By default the deploy proceeds. */
  ifBusy?: BusyPolicy | undefined;
  /** Builds that cannot start any more, as far as they were named already. */
  stuck?: StuckBuilds | undefined;
  /** Called before a build is created, and again right before its upload. Throws to stop the deploy. */
  check?: ((deploy: PlannedDeploy & { hasLost: boolean }) => Promise<void>) | undefined;
  /** Called when other builds have ended while this one waited for them: the live deployment, if it is equal now. */
  recheck?: (() => Promise<Deployment | undefined>) | undefined;
}

/** Of the deploy of an app. */
export interface DeployOptions extends SendOptions, CreateAppOptions {
  /** Set for the app of a branch: it may be deleted if the commit has all of its files, by their content. */
  preview?: string | true | undefined;
  /** What is kept of the live app, if that is not all that is. */
  kept?: Partial<AppCreation>;
  /** Whose files these are, if not those of the working directory. */
  commit?: string;
}

/** A deployment that succeeded or, with `detach`, one that is in progress. */
export interface Deployment extends Partial<BuildCommit> {
  app: string;
  project: string;
  runtime: string;
  build: string;
  status: string;
  /** Why nothing is known of the app, on a platform that does not start it: the emulator. */
  notStarted: NonNullable<Build['notStarted']> | null;
  /** What an emulator does not do as the platform does. */
  differences: string[];
  endpoint: string;
  /** Where a browser finds the pages of the app, on a platform whose endpoints are below a path; else empty. */
  page: string;
  dashboard: string;
  /** Zero for a partner's app, which has no files to upload. */
  files: number;
  bytes: number;
  packMs: number;
  uploadMs: number;
  buildMs: number;
  /** False if nothing was deployed, because nothing has changed. */
  changed: boolean;
  /** A later build that has replaced it already. */
  serves?: string;
  /** What was seen after the deploy; absent if it was not watched. */
  health?: HealthSeen;
}
