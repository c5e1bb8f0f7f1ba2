export { readAppCost } from './app-cost.ts';
export { removeApp } from './delete-app.ts';
export { changeScaling } from './scale-app.ts';
