export interface HttpReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** The body as it came, when it is compressed; `body` is empty then. See encoding.ts. */
  encoded?: Buffer;
}
