import { delimiter, dirname, join } from 'node:path';
import { words } from '../../../kernel/words.ts';
import type { AppRecord } from '../../model/state/records.ts';
import type { Store } from '../../model/state/store.ts';

/**
 * The environment of an app (docs/platform.md#invocation): its identity and its secrets, where an app's secret
 * overrides the project's, and of its volumes (`storage`). From the emulator's own environment it gets only what a program needs to run.
 */
export function createAppEnvironment(
  app: AppRecord,
  build: string,
  storage: Record<string, string>,
  store: Store,
  python: string,
) {
  const inherited = Object.entries(process.env).filter(([name]) => needed.has(name.toUpperCase()));
  const { PATH } = process.env;
  return {
    ...Object.fromEntries(inherited),
    // Programs of installed packages are beside the interpreter, on Windows also in a folder below.
    PATH: [dirname(python), ...scripts(python), PATH].join(delimiter),
    PYTHONUNBUFFERED: '1',
    PYTHONIOENCODING: 'utf-8',
    PYTHONDONTWRITEBYTECODE: '1',
    ...createAppVariables(app, build, storage, store),
  };
}

/** The part of an app's environment that comes from the platform. */
export function createAppVariables(
  app: AppRecord,
  build: string,
  storage: Record<string, string>,
  { secrets, givenSecrets }: Store,
): Record<string, string> {
  return {
    ...storage,
    ...secrets.get(app.project),
    ...secrets.get(app.id),
    ...givenSecrets,
    APP_NAME: app.name,
    PROJECT_ID: app.project,
    BUILD_ID: build,
  };
}

/** The second line: without these, many Windows programs fail to start or to find their files. */
const needed = new Set<string>(
  words(
    'HOME LANG TZ TMPDIR',
    'SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP',
    'USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE',
  ),
);

function scripts(python: string): string[] {
  return process.platform === 'win32' ? [join(dirname(python), 'Scripts')] : [];
}
