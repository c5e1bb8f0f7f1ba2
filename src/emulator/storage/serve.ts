import type { IncomingMessage } from 'node:http';
import type { Platform } from '../platform.ts';
import type { Reply } from '../reply.ts';
import type { StorageTarget } from './links.ts';
import { sendObject } from './objects.ts';
import { receivePart } from './parts.ts';
import type { Body } from './receive.ts';
import { receiveUpload } from './uploads.ts';

/** A request to object storage. Its link is all the permission there is. */
export interface StorageRequest {
  readonly request: IncomingMessage;
  readonly url: URL;
  /** What it sends: the request itself, or what a fault makes of it. */
  readonly body: Body;
  readonly platform: Platform;
}

/** Everything object storage answers. */
export const storage: Record<StorageTarget, (asked: StorageRequest) => Promise<Reply>> = {
  upload: receiveUpload,
  part: receivePart,
  object: sendObject,
};
