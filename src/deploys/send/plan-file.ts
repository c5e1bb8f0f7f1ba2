import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import * as v from 'valibot';
import { type AppArchive, withTemporaryArchive } from '../../app/archive.ts';
import { isPlan } from '../../app/files/plans.ts';
import { type CommandLine, gantryCommand } from '../../kernel/command-line.ts';
import { readNamedFile, sha256OfFile, toDiskErrorOf, writeFileAtomic } from '../../kernel/disk/index.ts';
import { ProjectError, UsageError } from '../../kernel/errors.ts';
import { stringifyJson, tryParseJson } from '../../kernel/json-text.ts';
import { platformOf } from '../../platform/config/state-key.ts';
import type { Context } from '../../platform/context.ts';
import type { AppCreation } from '../../platform/contract/apps.ts';
import { checkReplaceable, sentWithApp } from '../../storage/output-files.ts';
import { type CreateAppOptions, withoutLogin } from './create-app-body.ts';
import { lookAtDeployed } from './deployed-state.ts';
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
  /** Builds in progress. */
  builds: v.optional(v.array(v.string()), []),
  /** By path: size, SHA-256 and whether it is executable. */
  files: v.record(v.string(), v.tuple([v.number(), v.string(), v.boolean()])),
  /** SHA-256 of the archive, for the same version of zlib. */
  archive: v.object({ sha256: v.string(), zlib: v.string() }),
});
export type Plan = v.InferOutput<typeof planSchema>;

/** Writes a plan that `deploy --apply-plan` accepts as long as settings, files and the deployed app are the same. */
export async function writePlanFile(
  context: Context,
  local: LocalApp,
  options: CreateAppOptions & { repack?: boolean | undefined },
  file: string,
): Promise<void> {
  checkReplaceable(context, file, 'plan');
  const body = withoutLogin(local.project, options);
  const write = async (archive?: AppArchive) => {
    const sent = await describeSent(context, local, body, archive);
    const { live, builds } = await lookAtDeployed(context, body.name);
    const plan: Plan = { ...sent, live: live && digests(live), builds };
    await writeFileAtomic(resolve(context.cwd, file), `${stringifyJson(plan, 2)}\n`).catch((cause: unknown) => {
      throw toDiskErrorOf(`cannot write ${file}`, cause);
    });
  };
  if (local.project.partner) await write();
  else
    await withTemporaryArchive(local.entries, write, {
      signal: context.signal,
      cache: packingCache(context, options.repack),
    });
  context.progress.note(`wrote the plan to ${file}`);
  const path = resolve(context.cwd, file);
  const warning = isPlan(path) ? undefined : await sentWithApp(path, { app: local.project });
  if (warning) context.progress.warn(warning);
}

/** Reads a plan. Throws ProjectError if there is none in the file. */
export async function readPlanFile(context: Pick<Context, 'cwd' | 'signal'>, file: string): Promise<Plan> {
  const text = await readNamedFile(context, file).catch((cause) => {
    if (!(cause instanceof UsageError)) throw cause;
    throw planError(`plan ${cause.message}`, { ...(cause.facts.why && { why: cause.facts.why }), cause });
  });
  const parsed = v.safeParse(planSchema, tryParseJson(String(text)));
  if (parsed.success) return parsed.output;
  throw planError(`${file} is not a deploy plan`, { fix: gantryCommand`deploy --dry-run --save-plan ${file}` });
}

function planError(message: string, facts: { why?: string; fix?: CommandLine; cause?: unknown }): ProjectError {
  const { cause, ...shown } = facts;
  return new ProjectError(message, [{ severity: 'error', message, ...shown }], { cause });
}

/** What is known without the platform. */
export type SentPlan = Omit<Plan, 'live' | 'builds'>;

/** What `body` and `archive` would send. */
export async function describeSent(
  context: Context,
  local: LocalApp,
  body: AppCreation,
  archive: AppArchive | undefined,
): Promise<SentPlan> {
  const { project, settings } = context;
  const executables = new Map(local.entries.map(({ path, executable }) => [path, executable]));
  const { cliVersion: _version, dockerAuth: _login, ...sent } = body;
  return {
    gantryPlan: 1,
    platform: platformOf(settings),
    project,
    app: body.name,
    settings: digests(sent),
    files: Object.fromEntries(
      (archive?.entries ?? []).map(({ path, size, sha256 }) => [path, [size, sha256, executables.get(path) ?? false]]),
    ),
    archive: { sha256: archive ? await sha256OfFile(archive.path) : '', zlib: process.versions.zlib ?? '' },
  };
}

export function digests(fields: Record<string, unknown>): Record<string, string> {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(known.map(([name, value]) => [name, sha256(stringifyJson(value))]));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
