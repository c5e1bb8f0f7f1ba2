import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { CallParameters } from '../../contract/endpoint.ts';
import { toAppName } from '../../contract/endpoint.ts';
import type { startRun as contract } from '../../contract/run-app.ts';
import { runLimits } from '../../contract/run-app.ts';
import { findApp } from '../apps/find.ts';
import { withDefaults } from '../apps/settings.ts';
import type { Handlers, Platform } from '../platform.ts';
import { formatRequirements } from '../running/python.ts';
import { refuse } from '../server/reply.ts';
import type { AppRecord } from '../state/records.ts';
import { runOnce } from './run-once.ts';

/** One-off runs: an app that is there for one file (spec 4.5). */
export const runOnceHandlers: Pick<Handlers, 'createRunApp' | 'prepareBaseImage' | 'startRun'> = {
  createRunApp({ project, app, query }, { store, now }) {
    const name = toAppName(project, app);
    // Apps are found by their id: one without the project in front could not be called.
    if (name === app) refuse(400, `app must be an id: ${project}-${app}`);
    if (name.length > runLimits.nameLength) refuse(400, `name is longer than ${runLimits.nameLength} characters`);
    if (store.apps.get(app)) return { message: `App ${name} already exists` };
    if (!/^[a-z0-9][a-z0-9-]*$/i.test(name)) refuse(400, 'name may hold letters, digits and hyphens only');
    const settings = withDefaults({ name, ...(query?.region && { region: query.region }) });
    const times = { createdAt: now(), updatedAt: now() };
    store.apps.set(app, { id: app, name, project, ephemeral: true, ...times, settings });
    store.save();
    return { message: `App ${name} created` };
  },

  // It is asked for again and again until it is there: the second time, unless time stands still anyway.
  async prepareBaseImage({ project, app, body }, platform) {
    const { store, runner, pace } = platform;
    if (store.apps.get(app)?.project !== project) refuse(403, `no access to app ${app}: create it first`);
    const bytes = Buffer.byteLength(JSON.stringify(body.dependencies));
    if (bytes > runLimits.dependenciesBytes)
      refuse(400, `dependencies are larger than ${runLimits.dependenciesBytes} bytes`);
    const digest = `sha256:${createHash('sha256').update(JSON.stringify(body)).digest('hex')}`;
    const { asked = 0 } = runner.images.get(digest) ?? {};
    const requirements = formatRequirements(body.dependencies.pip ?? {});
    runner.images.set(digest, { asked: asked + 1, requirements });
    const installed = await isInstalled(requirements, platform);
    return installed && (pace === 0 || asked > 0) ? { status: 'ready', digest } : { status: 'building', digest: '' };
  },

  async startRun({ query, body, ...given }, platform) {
    const app = findApp(platform.store, given);
    const { file, data } = body;
    if (!query?.filename) return refuse(400, 'filename: which file is to be run?');
    if (file.content.length > runLimits.archiveBytes)
      refuse(400, `file is larger than ${runLimits.archiveBytes} bytes`);
    if (data.content.length > runLimits.dataBytes) refuse(400, `data is larger than ${runLimits.dataBytes} bytes`);
    if (query.imageDigest && !platform.runner.images.has(query.imageDigest)) {
      refuse(400, `there is no image ${query.imageDigest}`);
    }
    return { runId: await runOnce({ app: withHardware(app, query, platform), query, body }, platform) };
  },
};

/** Whether what is to be installed is. It goes on while nobody asks. */
function isInstalled(requirements: string, { runner }: Platform): Promise<boolean> {
  const installing = runner.pythonWith(requirements).then(
    () => true,
    (error: Error) => refuse(400, error.message),
  );
  runner.runInBackground(installing);
  return Promise.race([installing, setTimeout(installWaitMs, false, { ref: false })]);
}

/** Milliseconds until the answer is "not yet". */
const installWaitMs = 1_000;

type Query = NonNullable<CallParameters<typeof contract>['query']>;

/** What a run asks for is what its app has from now on. */
function withHardware(app: AppRecord, query: Query, { store, now }: Platform): AppRecord {
  const { computeType, gpuCount, cpu, memoryGb } = query;
  const settings = {
    ...app.settings,
    ...(computeType && { compute: [computeType] }),
    ...(gpuCount && { gpuCount: Number(gpuCount) }),
    ...(cpu && { cpu: Number(cpu) }),
    ...(memoryGb && { memory: Number(memoryGb) }),
  };
  if (!app.ephemeral) return app;
  const changed = { ...app, settings, updatedAt: now() };
  store.apps.set(app.id, changed);
  store.save();
  return changed;
}
