export { chooseRegion, type SettingChange } from './app-settings.ts';
export type { FileChanges } from './compare-files.ts';
export { type Deployment, deploy } from './deploy.ts';
export { type LocalApp, readLocalApp } from './local-app.ts';
export { type DeployPlan, planDeploy } from './plan.ts';
