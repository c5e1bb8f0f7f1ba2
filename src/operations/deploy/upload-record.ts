import type { Context } from '../../context.ts';
import type { AppCreation, CreatedApp } from '../../contract/apps.ts';
import type { AppArchive } from '../../project/archive.ts';
import { type KeptArchive, startKeeping } from '../archives/index.ts';
import type { SendOptions } from './deploy-options.ts';
import { type DeployRecord, recordSent, type SentFrom, writeDeployRecord } from './deploy-record.ts';

/** What a build is made of. */
export interface SentBuild extends Pick<KeptArchive, 'baseImages'> {
  body: AppCreation;
  /** Undefined if it is not known. */
  record: DeployRecord | undefined;
  origin: SentFrom;
}

/**
 * Writes down what is uploaded. All that is needed if nobody sees the end of the upload is there before it begins, since
 * the platform may have it all by then: the archive, and what it was made of. Its end is written down after it.
 */
export function recordUpload(
  context: Context,
  archive: AppArchive,
  options: SendOptions,
  describe: (created: CreatedApp) => Promise<SentBuild>,
): SendOptions {
  const keeping = startKeeping(context, archive);
  let sent: SentBuild | undefined;
  const end = async (unconfirmed = false) => {
    if (sent?.record) {
      const { body, record, origin } = sent;
      await writeDeployRecord(context, body.name, record);
      await recordSent(context, body, record, { ...origin, ...(unconfirmed && { unconfirmed }) });
    }
    keeping.share();
  };
  return {
    ...options,
    async onSending(created) {
      sent = await describe(created);
      const { body, baseImages, record, origin } = sent;
      const { restored } = origin;
      const about = { body, build: created.buildId, baseImages, restored, deployRecord: record ?? null };
      const kept = await keeping.keep(about);
      if (kept) Object.assign(origin, { archive: kept.sha256 });
      if (record) await recordSent(context, body, record, { ...origin, event: 'sending' });
    },
    async onUploaded(created, archive) {
      await options.onUploaded?.(created, archive);
      await end();
    },
    onInDoubt: () => end(true),
  };
}
