export { readSecretsOf, trySecretsOf } from './app-secrets.ts';
export {
  chooseRegion,
  compareSent,
  makeSettings,
  type SettingChange,
  scalingOf,
} from './app-settings.ts';
export { busyPolicies, inProgress, whichCanStart } from './busy-builds.ts';
export { deployApp, movedRegion, type Prepared, prepareDeploy } from './deploy-app.ts';
export {
  type Deployment,
  deploymentFields,
  digestsOf,
  readSentFiles,
  rememberTarget,
} from './deploy-record.ts';
export { DeployedMeanwhileError, type Guard, wasCreated, whyDeployedMeanwhile } from './guard.ts';
export {
  checkLocalApp,
  checkLocalSource,
  checkPackages,
  checkSecrets,
  type FileDecision,
  type LocalApp,
  readLocalApp,
} from './local-app.ts';
export { type Packed, packApp } from './pack-app.ts';
export { compareFiles, compareHere, type DeployPlan } from './plan.ts';
export { readBaseImages, sendApp, sendArchive, withKeptRecord, withLogin } from './send-app.ts';
export type { SendOptions, Sent } from './send-build.ts';
export { findApps, worstExit } from './several-apps.ts';
