export { checkReplaceable } from './replaceable.ts';
export { sentWithApp, watchCopiesInApp } from './sent-with-app.ts';
