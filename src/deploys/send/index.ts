export {
  chooseRegion,
  compareSent,
  readBaseImages,
  type SettingChange,
  scalingOf,
  withLogin,
  withoutLogin,
} from './app-settings.ts';
export { movedRegion, type Question } from './ask.ts';
export { busyPolicies, isBusy, isPending, lookBeforeUpload, othersInProgress, StuckBuilds } from './busy-builds.ts';
export type { Deployment, SendOptions } from './deploy-record.ts';
export { readSecretsOf, rememberTarget, sentFilesDigest, trySecretsOf, withKeptRecord } from './deploy-record.ts';
export {
  checkLocalApp,
  checkPackages,
  type FileDecision,
  type LocalApp,
  readLocalApp,
} from './local-app.ts';
export { type Packed, packApp } from './pack-app.ts';
export { compareFiles, compareHere, type DeployPlan } from './plan.ts';
export { checkSecrets, prepareDeploy } from './prepare-deploy.ts';
export { deploy, deployArchive } from './send-build.ts';
export { fewAtOnce, findApps, worstExit } from './several-apps.ts';
