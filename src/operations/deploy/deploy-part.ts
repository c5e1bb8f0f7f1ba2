import type { Context } from '../../context.ts';
import { count } from '../../output/format.ts';
import { totalBytes } from '../../project/collect.ts';
import { deploy } from './deploy.ts';
import type { Deployment, DeployOptions } from './deployment.ts';
import type { LocalApp } from './local-app.ts';
import { checkUploadedPart, IncompleteBuildError } from './partial-evidence.ts';
import { rememberRefusal } from './partial-refusal.ts';
import { type FullUpload, type PartialUpload, summarizeUpload } from './partial-upload.ts';

/** Deploys with a partial upload. If the build then has not all files, cancels it and sends all of them. */
export async function deployPart(
  context: Context,
  local: LocalApp,
  upload: PartialUpload | FullUpload,
  options: DeployOptions,
): Promise<Deployment> {
  if ('reason' in upload) return deployAll(context, local, upload, options);
  const { base, entries, unchanged } = upload;
  const of = count(local.entries.length, 'file');
  context.progress.note(`sending ${entries.length} of ${of}, the others come from build ${base} (experimental)`);
  const onUploaded: DeployOptions['onUploaded'] = ({ buildId }, archive) => {
    const app = local.project.name;
    return checkUploadedPart(context, { app, build: buildId, base, sent: archive.entries, unchanged });
  };
  try {
    const sent = { ...local, entries, bytes: totalBytes(entries) };
    return {
      ...(await deploy(context, sent, { ...options, unchanged, onUploaded })),
      partial: summarizeUpload(local, upload),
    };
  } catch (error) {
    if (!(error instanceof IncompleteBuildError)) throw error;
    if (error.isOnlyPart) await rememberRefusal(context, error.build);
    return deployAll(context, local, { reason: error.message }, options);
  }
}

async function deployAll(
  context: Context,
  local: LocalApp,
  upload: FullUpload,
  options: DeployOptions,
): Promise<Deployment> {
  context.progress.note(`sending all files: ${upload.reason}`);
  return { ...(await deploy(context, local, options)), partial: summarizeUpload(local, upload) };
}
