import type { Context } from '../../platform/context.ts';
import { getAppSecrets, getProjectSecrets } from '../../platform/contract/secrets.ts';
import { tryRequest, unlessMissing } from '../../platform/waiting/index.ts';

/** What replicas of an app get. Its own take precedence over those of the project; `app` is one that may have its own. */
export async function readSecretsOf({ api, project }: Pick<Context, 'api' | 'project'>, app: string) {
  const ofApp = unlessMissing(api(getAppSecrets, { project, app }));
  const [shared, appOnly] = await Promise.all([api(getProjectSecrets, { project }), ofApp]);
  return { values: { ...shared, ...appOnly }, app: appOnly && app };
}

export type AppSecrets = Awaited<ReturnType<typeof readSecretsOf>> | undefined;
/** Undefined if they may not be read. */
export type ReadSecrets = () => Promise<AppSecrets>;

/** The secrets, for what goes on without them. */
export function trySecretsOf(context: Context, app: string): Promise<AppSecrets> {
  const { project } = context;
  return tryRequest(context, (api) => readSecretsOf({ api, project }, app));
}
