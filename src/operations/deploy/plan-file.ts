import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import * as v from 'valibot';
import { type CommandLine, gantryCommand } from '../../command-line.ts';
import { platformOf } from '../../config/state-key.ts';
import type { Context } from '../../context.ts';
import { App, type AppCreation, getApp } from '../../contract/apps.ts';
import { readNamedFile, sha256OfFile, toDiskErrorOf, writeFileAtomic } from '../../disk/index.ts';
import { ConflictError, NotFoundError, ProjectError, UsageError } from '../../errors.ts';
import { stringifyJson, tryParseJson } from '../../json-text.ts';
import { type AppArchive, withTemporaryArchive } from '../../project/archive.ts';
import { checkReplaceable, sentWithApp } from '../output-files/index.ts';
import { type CreateAppOptions, withoutLogin } from './create-app-body.ts';
import type { LocalApp } from './local-app.ts';
import { packingCache } from './packing-options.ts';

/**
 * What a plan is bound to. It holds digests instead of settings: pipelines keep plans as artifacts, and a shell command
 * may contain a secret.
 */
const planSchema = v.object({
  gantryPlan: v.literal(1),
  platform: v.string(),
  project: v.string(),
  app: v.string(),
  /** Digests of the fields of the request. */
  settings: v.record(v.string(), v.string()),
  /** Digests of the fields of the deployed app; null if it is not deployed. */
  live: v.nullable(v.record(v.string(), v.string())),
  /** By path: size, CRC-32 and whether it is executable. */
  files: v.record(v.string(), v.tuple([v.number(), v.number(), v.boolean()])),
  /** SHA-256 of the archive, for the same version of zlib. */
  archive: v.object({ sha256: v.string(), zlib: v.string() }),
});
type Plan = v.InferOutput<typeof planSchema>;

/** Writes a plan that `deploy --apply-plan` accepts as long as settings, files and the deployed app are the same. */
export async function writePlanFile(
  context: Context,
  local: LocalApp,
  options: CreateAppOptions & { cache?: boolean },
  file: string,
): Promise<void> {
  checkReplaceable(context, file, 'plan');
  const body = withoutLogin(local.project, options);
  const write = async (archive?: AppArchive) => {
    const plan = await describe(context, local, body, archive);
    await writeFileAtomic(resolve(context.cwd, file), `${stringifyJson(plan, 2)}\n`).catch((cause: unknown) => {
      throw toDiskErrorOf(`cannot write ${file}`, cause);
    });
  };
  if (local.project.partner) await write();
  else
    await withTemporaryArchive(local.entries, write, {
      signal: context.signal,
      cache: packingCache(context, options.cache),
    });
  context.progress.note(`wrote the plan to ${file}`);
  const warning = await sentWithApp(resolve(context.cwd, file), { app: local.project });
  if (warning) context.progress.warn(warning);
}

/** Reads a plan. Throws ProjectError if there is none in the file. */
export async function readPlanFile(context: Pick<Context, 'cwd' | 'signal'>, file: string): Promise<Plan> {
  const text = await readNamedFile(context, file).catch((cause) => {
    if (!(cause instanceof UsageError)) throw cause;
    throw planError(`cannot read the plan ${file}`, { why: cause.facts.why ?? cause.message, cause });
  });
  const parsed = v.safeParse(planSchema, tryParseJson(String(text)));
  if (parsed.success) return parsed.output;
  throw planError(`${file} is not a deploy plan`, { fix: gantryCommand`deploy --dry-run --save-plan ${file}` });
}

function planError(message: string, facts: { why?: string; fix?: CommandLine; cause?: unknown }): ProjectError {
  const { cause, ...shown } = facts;
  return new ProjectError(message, [{ severity: 'error', message, ...shown }], { cause });
}

/** Throws ConflictError if anything that the plan is bound to has changed. `body` and `archive`: what would be sent. */
export async function checkPlan(
  context: Context,
  local: LocalApp,
  plan: Plan,
  body: AppCreation,
  archive?: AppArchive,
): Promise<void> {
  const moved = listDifferences(plan, await describe(context, local, body, archive));
  if (moved.length === 0) return;
  const shown = moved.slice(0, maxShown).join(', ');
  const more = moved.length > maxShown ? ` and ${moved.length - maxShown} more` : '';
  throw new ConflictError(`not as planned: ${shown}${more}`, {
    why: 'the plan was made for other settings, files or another state of the deployed app',
    fix: 'make a new plan, with the same flags as for the deploy',
    details: { app: plan.app, moved },
  });
}

const maxShown = 5;

async function describe(
  context: Context,
  local: LocalApp,
  body: AppCreation,
  archive: AppArchive | undefined,
): Promise<Plan> {
  const { project, settings } = context;
  const executables = new Map(local.entries.map(({ path, executable }) => [path, executable]));
  const { cliVersion: _version, dockerAuth: _login, ...sent } = body;
  return {
    gantryPlan: 1,
    platform: platformOf(settings),
    project,
    app: body.name,
    settings: digests(sent),
    live: await readLive(context, body.name),
    files: Object.fromEntries(
      (archive?.entries ?? []).map(({ path, size, crc32 }) => [path, [size, crc32, executables.get(path) ?? false]]),
    ),
    archive: { sha256: archive ? await sha256OfFile(archive.path) : '', zlib: process.versions.zlib ?? '' },
  };
}

/** Fields that change by themselves, or say nothing about what serves. */
const volatile = [
  ...['status', 'errorMessage', 'updatedAt', 'costPerSecondCents', 'lastBuildStatus'],
  ...['latestBuildId', 'latestCreatedBuildId'],
];
/** Only known fields: others may change by themselves. */
const boundFields = Object.keys(App.entries).filter((field) => !volatile.includes(field));

async function readLive({ api, project }: Context, app: string): Promise<Plan['live']> {
  try {
    const live: Record<string, unknown> = await api(getApp, { project, app });
    return digests(Object.fromEntries(boundFields.map((field) => [field, live[field]])));
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

function digests(fields: Record<string, unknown>): Record<string, string> {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(known.map(([name, value]) => [name, sha256(stringifyJson(value))]));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What differs, in the user's words. */
function listDifferences(planned: Plan, now: Plan): string[] {
  const target = (['platform', 'project', 'app'] as const).filter((name) => planned[name] !== now[name]);
  const settings = changedKeys(planned.settings, now.settings);
  const live = planned.live && now.live ? changedKeys(planned.live, now.live) : [];
  const isDeployed = (planned.live === null) !== (now.live === null);
  const named = [
    ...target,
    ...settings.map((field) => (field === 'platform_toml' ? 'the config file' : `setting ${field}`)),
    ...(isDeployed ? [now.live ? `${now.app} is deployed now` : `${now.app} is not deployed any more`] : []),
    ...live.map((field) => (field === 'latestReadyBuildId' ? 'the live build' : `deployed ${field}`)),
    ...changedKeys(planned.files, now.files),
  ];
  const isOtherArchive = planned.archive.zlib === now.archive.zlib && planned.archive.sha256 !== now.archive.sha256;
  return named.length === 0 && isOtherArchive ? ['the archive'] : named;
}

function changedKeys(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => stringifyJson(before[name]) !== stringifyJson(after[name]));
}
