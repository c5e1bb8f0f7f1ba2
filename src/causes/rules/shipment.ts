import type { FailureRule } from '../rule.ts';

/** What only the files show: no log names it, or the app does something else than it was written for. */
export const shipmentRules: readonly FailureRule[] = [
  {
    cause: 'module-excluded',
    inFiles: true,
    signs: {},
    title: 'the module {module} is in the app folder, but is not sent',
    fix: 'add it to include, or remove the pattern that matches it from exclude',
    at: 'deployment.exclude',
  },
  {
    cause: 'file-excluded',
    inFiles: true,
    signs: {},
    title: '{path} is in the app folder, but is not sent',
    fix: 'add it to include, or remove the pattern that matches it from exclude',
    at: 'deployment.exclude',
  },
  {
    cause: 'runtime-missing',
    inFiles: true,
    signs: {},
    title: 'main.py makes {name} with {framework}, and the default runtime serves functions, not its routes',
    fix: 'add [cerebrium.runtime.custom] with the command that serves it',
    at: 'runtime.custom',
  },
  {
    cause: 'name-undefined',
    inFiles: true,
    signs: {},
    title: '{path} uses {name}, which nothing defines',
    fix: 'import it, or remove it',
  },
];
