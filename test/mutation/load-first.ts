import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Set by StrykerJS. */
    mode: 'dry-run' | 'mutant';
  }
}

// What a file does while it is loaded would else be held to be of the one test that happens to load it first.
if (inject('mode') === 'dry-run')
  for (const file of process.env.MUTATION_SOURCES?.split(',') ?? []) await import(pathToFileURL(file).href);
