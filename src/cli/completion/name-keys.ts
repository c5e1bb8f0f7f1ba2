import type { Context } from '../../platform/context.ts';
import type { ValueAtCursor } from './candidates.ts';

export type NamesContext = Pick<Context, 'api' | 'settings' | 'project' | 'now'>;

export type Place = Pick<ValueAtCursor, 'typed' | 'given'> & { typing: string };

export type PlatformName =
  | 'app'
  | 'build'
  | 'run'
  | 'container'
  | 'project'
  | 'secret'
  | 'service-account'
  | 'remote-path';

/** What names depend on besides the project: the same key, the same names. */
export const nameKeys: Record<PlatformName, (place: Place, context: NamesContext) => string> = {
  app: () => 'app',
  build: ({ typed: [app] }) => `build ${app}`,
  run: ({ typed: [app] }) => `run ${app}`,
  container: ({ typed: [app] }) => `container ${app}`,
  project: () => 'project',
  secret: ({ given }) => `secret ${given['--app'] ?? ''}`,
  'service-account': () => 'service-account',
  // As it is typed, because the names begin with it.
  'remote-path': ({ typing }, { settings }) => `path ${settings.region.value ?? ''} ${typedFolder(typing)}`,
};

export function isPlatformName(kind: string): kind is PlatformName {
  return kind in nameKeys;
}

/** What is typed up to the last slash or colon. */
export function typedFolder(typing: string): string {
  return typing.slice(0, Math.max(typing.lastIndexOf('/'), typing.lastIndexOf(':')) + 1);
}
