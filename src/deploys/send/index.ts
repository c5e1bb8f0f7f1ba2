export {
  chooseRegion,
  compareSent,
  readBaseImages,
  type SettingChange,
  scalingOf,
  withLogin,
  withoutLogin,
} from './app-settings.ts';
export { busyPolicies, inProgress, whichCanStart } from './busy-builds.ts';
export { checkPackages, checkSecrets, deployApp, movedRegion, type Prepared, prepareDeploy } from './deploy-app.ts';
export {
  type Deployment,
  deploymentFields,
  readSecretsOf,
  rememberTarget,
  sentFilesDigest,
  trySecretsOf,
  withKeptRecord,
} from './deploy-record.ts';
export { DeployedMeanwhileError, wasCreated } from './guard.ts';
export { checkLocalApp, checkLocalSource, type FileDecision, type LocalApp, readLocalApp } from './local-app.ts';
export { type Packed, packApp } from './pack-app.ts';
export { compareFiles, compareHere, type DeployPlan } from './plan.ts';
export { sendApp, sendArchive } from './send-app.ts';
export type { SendOptions, Sent } from './send-build.ts';
export { fewAtOnce, findApps, worstExit } from './several-apps.ts';
