export { chooseRegion, type SettingChange } from './app-settings.ts';
export { type BusyPolicy, busyPolicies, resolveBusyBuilds } from './busy-builds.ts';
export type { FileChanges } from './compare-files.ts';
export { type Deployment, deploy } from './deploy.ts';
export { findLiveDeployment } from './live-deployment.ts';
export { type LocalApp, readLocalApp } from './local-app.ts';
export { checkDrift, type DeployPlan, planDeploy } from './plan.ts';
export { checkPlan, readPlanFile, writePlanFile } from './plan-file.ts';
