export { chooseRegion, type SettingChange } from './app-settings.ts';
export { busyPolicies } from './busy-builds.ts';
export type { FileChanges } from './compare-files.ts';
export { type Deployment, deploy } from './deploy.ts';
export { prepareDeploy } from './deploy-app.ts';
export { type FileDecision, fileDecisions } from './file-selection.ts';
export { checkLocalApp, type LocalApp, readLocalApp } from './local-app.ts';
export { packingCache } from './packing-options.ts';
export type { DeployPlan } from './plan.ts';
