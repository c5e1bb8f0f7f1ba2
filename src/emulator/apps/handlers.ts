import type { AppCreation } from '../../contract/apps.ts';
import { readBuild } from '../builds/build-status.ts';
import { createBuild, startBuild } from '../builds/handlers.ts';
import type { Handlers, Platform } from '../platform.ts';
import { refuse } from '../server/reply.ts';
import type { AppRecord, BuildRecord } from '../state/records.ts';
import { signedLink } from '../storage/signed-url.ts';
import { findApp } from './find.ts';
import { scaled, withDefaults } from './settings.ts';
import { complaint } from './settings-rules.ts';
import { detail, endpointOf, summary } from './view.ts';

type AppHandlers = Pick<Handlers, 'createApp' | 'createPartnerApp' | 'listApps' | 'getApp' | 'scaleApp' | 'deleteApp'>;

export const apps: AppHandlers = {
  createApp({ project, body }, platform) {
    const made = deploy(project, body, ['cortex', 'custom'], platform);
    return created(made, signedLink('PUT', made.build.keyName, platform), platform);
  },

  // A partner's app comes as a ready image: nothing is uploaded, so its build starts at once (wire §1b).
  async createPartnerApp({ project, body }, platform) {
    const made = deploy(project, body, ['deepgram', 'rime'], platform);
    await startBuild(made.build, platform);
    return created(made, '', platform);
  },

  listApps({ project, query }, platform) {
    return [...platform.store.apps.values()]
      .filter((app) => app.project === project && (query?.includeEphemeral || !app.ephemeral))
      .map((app) => summary(app, platform));
  },

  getApp(given, platform) {
    return detail(findApp(platform.store, given), platform);
  },

  // What scaling sets lasts until the next deploy, which replaces the record (wire §1b).
  scaleApp({ body, ...given }, { store, now }) {
    const app = findApp(store, given);
    const settings = scaled(app.settings, body);
    const wrong = complaint(settings, [settings.runtime]);
    if (wrong) refuse(400, wrong);
    store.apps.set(app.id, { ...app, settings, updatedAt: now() });
    store.save();
    return undefined;
  },

  async deleteApp(given, { store, running }) {
    const app = findApp(store, given);
    await running.stopApp(app.id);
    for (const build of store.buildsOf(app.id)) store.builds.delete(build.id);
    for (const run of store.runs.values()) if (run.app === app.id) store.runs.delete(run.id);
    store.secrets.delete(app.id);
    store.apps.delete(app.id);
    store.save();
    return undefined;
  },
};

interface Deploy {
  app: AppRecord;
  build: BuildRecord;
}

/** Replaces the app's record and makes a build that waits for its archive. */
function deploy(project: string, body: AppCreation, runtimes: string[], platform: Platform): Deploy {
  const { store, now } = platform;
  const settings = withDefaults(body);
  const registries = registriesIn(body.dockerAuth);
  const wrong = complaint(settings, runtimes);
  if (wrong) refuse(400, wrong);

  const { name } = body;
  const id = `${project}-${name}`;
  const { createdAt = now(), traffic } = store.apps.get(id) ?? {};
  const app = { id, name, project, createdAt, updatedAt: now(), settings, ...(traffic && { traffic }) };
  store.apps.set(id, app);
  return { app, build: createBuild(app, registries, platform) };
}

/** `dockerAuth` is the text of a Docker config: `{"auths": {"ghcr.io": {"auth": "…"}}}` (wire §1c). */
function registriesIn(dockerAuth = '{}'): string[] {
  try {
    return Object.keys(JSON.parse(dockerAuth).auths ?? {});
  } catch {
    return refuse(400, 'dockerAuth is not the JSON text of a Docker config');
  }
}

function created({ app, build }: Deploy, uploadUrl: string, { url, now }: Platform) {
  return {
    buildId: build.id,
    status: readBuild(build, now()).status,
    uploadUrl,
    keyName: build.keyName,
    internalEndpoint: endpointOf(app, url),
    dashboardUrl: `${url}/projects/${app.project}/apps/${app.id}/builds/${build.id}`,
  };
}
