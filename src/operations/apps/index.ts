export { appCost } from './app-cost.ts';
export { removeApp } from './delete-app.ts';
export { scale } from './scale-app.ts';
