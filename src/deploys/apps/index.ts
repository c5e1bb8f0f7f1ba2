export { readAppHere, readNamedAppHere } from './app-here.ts';
export { dashboardUrl } from './dashboard.ts';
export { deleteAppAndWait, removeApp } from './delete-app.ts';
export { explainMissingApp } from './missing-app.ts';
export { changeScaling } from './scale-app.ts';
