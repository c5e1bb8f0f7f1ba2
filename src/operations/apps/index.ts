export { readAppCost } from './app-cost.ts';
export { dashboardUrl } from './dashboard.ts';
export { deleteAppAndWait, removeApp } from './delete-app.ts';
export { changeScaling } from './scale-app.ts';
