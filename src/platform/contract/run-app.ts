import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { replyObject } from './lists.ts';
import { FilePart, maybe, textOrEmpty } from './scalars.ts';

const text = v.optional(v.string());
const versions = v.optional(v.record(v.string(), v.string()));

/** Creates the app of a one-off run if it does not exist (spec 4.5). Without a region the platform picks one. */
export const createRunApp = endpoint('POST /v3/projects/{project}/apps/{app}/create-run-app', {
  query: v.object({ region: text }),
  reply: 'nothing',
  retryable: true,
});

/**
 * Versions by package name; an empty version means `latest`. Commands are encoded in base64
 * (docs/platform.md#one-off-runs).
 */
const BaseImage = v.object({
  dependencies: v.object({ pip: versions, conda: versions, apt: versions }),
  preBuildCommands: v.array(v.string()),
  shellCommands: v.array(v.string()),
  baseImageURI: text,
});
export type BaseImage = v.InferOutput<typeof BaseImage>;

/**
 * Ask for the image with the dependencies of a run (docs/platform.md#one-off-runs). It is repeated until `status` is
 * `ready` and `digest` is not empty. Answers 403 when the app does not exist.
 */
export const prepareBaseImage = endpoint('POST /v3/projects/{project}/apps/{app}/base-image', {
  query: v.object({ region: text }),
  body: BaseImage,
  reply: replyObject({ status: textOrEmpty, digest: maybe.text }, 'status'),
  retryable: true,
});

/** Sizes in bytes, as the official client limits them (docs/platform.md#one-off-runs). */
export const runLimits = {
  archiveBytes: 4 * 1024 * 1024,
  dataBytes: 2 * 1024 * 1024,
  dependenciesBytes: 380 * 1024,
  nameLength: 30,
};

/** Run one file of an archive once (docs/platform.md#one-off-runs). Hardware numbers always have a decimal: `2.0`. */
export const startRun = endpoint('POST /v3/projects/{project}/apps/{app}/run', {
  query: v.object({
    filename: v.string(),
    appName: text,
    region: text,
    functionName: text,
    imageDigest: text,
    computeType: text,
    gpuCount: text,
    cpu: text,
    memoryGb: text,
  }),
  // `data` is `data.json` with the arguments (application/json); `file` is an uncompressed tar (application/x-tar).
  body: v.object({ projectId: v.string(), data: FilePart, file: FilePart }),
  form: 'multipart',
  reply: replyObject({ runId: textOrEmpty }, 'runId'),
});
