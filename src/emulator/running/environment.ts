import { delimiter, dirname, join } from 'node:path';
import type { AppRecord } from '../state/records.ts';
import type { Store } from '../state/store.ts';

/**
 * What an app finds in its environment (wire §7): who it is, its secrets, those of the app before those of its
 * project. Of the emulator's own environment it gets what a program needs to run, and nothing else.
 */
export function environmentOf(app: AppRecord, build: string, folder: string, { secrets }: Store, python: string) {
  const { PATH, HOME, LANG, TZ, TMPDIR, SystemRoot } = process.env;
  return {
    // Programs that came with a package are beside its interpreter.
    PATH: [dirname(python), PATH].join(delimiter),
    ...{ HOME, LANG, TZ, TMPDIR, SystemRoot },
    ...{ PYTHONUNBUFFERED: '1', PYTHONIOENCODING: 'utf-8', PYTHONDONTWRITEBYTECODE: '1' },
    HF_HOME: join(folder, 'persistent-storage/.cache/huggingface'),
    ...{ ...secrets.get(app.project), ...secrets.get(app.id) },
    ...{ APP_NAME: app.name, PROJECT_ID: app.project, BUILD_ID: build },
  };
}
