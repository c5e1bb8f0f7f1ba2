import { delimiter, dirname } from 'node:path';
import type { AppRecord } from '../state/records.ts';
import type { Store } from '../state/store.ts';

/**
 * The environment of an app (docs/platform.md#invocation): its identity and its secrets, where an app's secret
 * overrides the project's, and of its volumes (`storage`). From the emulator's own environment it gets only what a program needs to run.
 */
export function createAppEnvironment(
  app: AppRecord,
  build: string,
  storage: Record<string, string>,
  { secrets }: Store,
  python: string,
) {
  const { PATH, HOME, LANG, TZ, TMPDIR, SystemRoot } = process.env;
  return {
    // Programs of installed packages are beside the interpreter.
    PATH: [dirname(python), PATH].join(delimiter),
    HOME,
    LANG,
    TZ,
    TMPDIR,
    SystemRoot,
    PYTHONUNBUFFERED: '1',
    PYTHONIOENCODING: 'utf-8',
    PYTHONDONTWRITEBYTECODE: '1',
    ...storage,
    ...secrets.get(app.project),
    ...secrets.get(app.id),
    APP_NAME: app.name,
    PROJECT_ID: app.project,
    BUILD_ID: build,
  };
}
