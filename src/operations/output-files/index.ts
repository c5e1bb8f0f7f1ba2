export { checkReplaceable } from './replaceable.ts';
export { noteCopiesInApp, sentWithApp } from './sent-with-app.ts';
