import { join } from 'node:path';
import type { AppConfig } from '../../app/config.ts';
import { readRegular } from '../../kernel/disk/index.ts';
import { version } from '../../kernel/version.ts';
import { findBaseImages, findRegistryLogin } from '../../platform/config/registry-login.ts';
import type { Context } from '../../platform/context.ts';
import type { AppCreation } from '../../platform/contract/apps.ts';
import { createAppSettings } from './app-settings.ts';

/** Settings of the command line. */
export interface CreateAppOptions {
  region?: string | undefined;
  logLevel?: string | undefined;
  /** Ask the platform not to keep a build log. */
  disableBuildLogs?: boolean | undefined;
  /** Settings of the deployed app that replace those of the file. */
  keep?: Partial<AppCreation> | undefined;
}

/** Adds the registry login if a base image needs one. */
export async function withLogin(
  { env, secrets, progress }: Context,
  body: AppCreation,
  baseImages: string[],
): Promise<AppCreation> {
  const login = await findRegistryLogin(baseImages, env);
  secrets.add(login?.secrets);
  if (login) progress.note(`sending the login for ${login.registry} to pull the base image`);
  return { ...body, ...(login && { dockerAuth: login.dockerAuth }) };
}

/** The body of create app without a registry login. */
export function withoutLogin(project: AppConfig, options: CreateAppOptions): AppCreation {
  return {
    ...createAppSettings(project),
    name: project.name,
    cliVersion: version,
    platform_toml: project.text,
    ...(options.region && { region: options.region }),
    ...(options.logLevel && { logLevel: options.logLevel }),
    ...(options.disableBuildLogs && { disableBuildLogs: true }),
    ...options.keep,
  };
}

/** Images that the platform must be able to pull. */
export async function readBaseImages({ root, custom, deployment }: AppConfig): Promise<string[]> {
  if (custom?.dockerfile_path) return findBaseImages(String(await readRegular(join(root, custom.dockerfile_path))));
  return deployment.docker_base_image_url ? [deployment.docker_base_image_url] : [];
}
