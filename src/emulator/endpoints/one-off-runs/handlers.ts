import { createHash } from 'node:crypto';
import { pause } from '../../../kernel/clock.ts';
import { type CallParameters, shortAppName } from '../../../platform/contract/endpoint.ts';
import { type startRun as contract, runLimits } from '../../../platform/contract/run-app.ts';
import { refuse } from '../../http/reply.ts';
import { type AppSettings, nameRules, withDefaults } from '../../model/apps/settings.ts';
import { type AppRecord, replaceSettings } from '../../model/state/records.ts';
import { findApp } from '../../model/state/store.ts';
import { runOnce } from '../../running/one-off-runs/run-once.ts';
import { formatRequirements, type InstallError } from '../../running/processes/python.ts';
import type { Handlers, Platform } from '../platform.ts';

/** One-off runs of a file, in an app of their own (spec 4.5). */
export const runOnceHandlers = {
  createRunApp({ project, app, query }, { store, now }) {
    const name = shortAppName(project, app);
    // An id that does not begin with the project could not be called.
    if (name === app) refuse(400, `app must be an id: ${project}-${app}`);
    if (name.length > runLimits.nameLength) refuse(400, `name is longer than ${runLimits.nameLength} characters`);
    if (store.apps.get(app)) return { message: `App ${name} already exists` };
    const problem = nameRules(name).find(({ holds }) => !holds);
    if (problem) refuse(400, problem.message);
    const settings = withDefaults({ name, ...(query.region && { region: query.region }) });
    const times = { createdAt: now(), updatedAt: now() };
    store.apps.set(app, { id: app, name, project, ephemeral: true, ...times, settings });
    store.save();
    return { message: `App ${name} created` };
  },

  // Clients poll until the image is ready: here at the second request, or immediately with a pace of 0.
  async prepareBaseImage({ project, app, body }, platform) {
    const { store, runner, pace } = platform;
    if (store.apps.get(app)?.project !== project) refuse(403, `no access to app ${app}: create it first`);
    const bytes = Buffer.byteLength(JSON.stringify(body.dependencies));
    if (bytes > runLimits.dependenciesBytes)
      refuse(400, `dependencies are larger than ${runLimits.dependenciesBytes} bytes`);
    const digest = `sha256:${createHash('sha256').update(JSON.stringify(body)).digest('hex')}`;
    const { requests = 0 } = runner.images.get(digest) ?? {};
    const requirements = Buffer.from(formatRequirements(body.dependencies.pip ?? {}));
    runner.images.set(digest, { requests: requests + 1, requirements });
    const installed = await isInstalled(findApp(store, { project, app }).settings, requirements, platform);
    return installed && (pace === 0 || requests > 0) ? { status: 'ready', digest } : { status: 'building', digest: '' };
  },

  async startRun({ query, body, ...params }, platform) {
    const app = findApp(platform.store, params);
    const { file, data } = body;
    if (!query.filename) return refuse(400, 'filename is required');
    if (file.content.length > runLimits.archiveBytes)
      refuse(400, `file is larger than ${runLimits.archiveBytes} bytes`);
    if (data.content.length > runLimits.dataBytes) refuse(400, `data is larger than ${runLimits.dataBytes} bytes`);
    if (query.imageDigest && !platform.runner.images.has(query.imageDigest)) {
      refuse(400, `image ${query.imageDigest} not found`);
    }
    return { runId: await runOnce({ app: withPlace(app, query, platform), query, body }, platform) };
  },
} satisfies Partial<Handlers>;

/** Whether the requirements are installed. The installation continues between requests. */
function isInstalled(settings: AppSettings, requirements: Buffer, { runner }: Platform): Promise<boolean> {
  const installing = runner.pythonFor(settings, requirements).then(
    () => true,
    (error: Partial<InstallError>) => refuse(400, error.output?.join('\n') || (error.message ?? '')),
  );
  runner.runInBackground(installing);
  return Promise.race([installing, pause(installWaitMs, undefined, { background: true }).then(() => false)]);
}

const installWaitMs = 1_000;

type Query = NonNullable<CallParameters<typeof contract>['query']>;

const onlyHardware = ({ compute, gpuCount }: AppSettings) => ({ compute, gpuCount });

/** The numbers that a query gives. Refuses any other text. */
function numbers(texts: Record<string, string | undefined>) {
  const given = Object.entries(texts).flatMap(([name, text]) => (text ? [[name, Number(text)] as const] : []));
  for (const [name, number] of given) if (!Number.isFinite(number)) refuse(400, `${name} must be a number`);
  return Object.fromEntries(given);
}

/** With the hardware and the region of the run, which replace those of its ephemeral app. */
function withPlace(app: AppRecord, query: Query, { store, now }: Platform): AppRecord {
  const { computeType, gpuCount, cpu, memoryGb, region } = query;
  const settings = {
    ...app.settings,
    ...(computeType && onlyHardware(withDefaults({ name: app.name, compute: [computeType] }))),
    ...numbers({ gpuCount, cpu, memory: memoryGb }),
    ...(region && { region }),
  };
  if (!app.ephemeral) return { ...app, settings };
  const changed = replaceSettings(app, settings, now());
  store.apps.set(app.id, changed);
  store.save();
  return changed;
}
