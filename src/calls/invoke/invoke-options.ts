export interface InvokeOptions {
  app: string;
  /** An optional function name, then parameters. */
  args: string[];
  /** JSON, `@file`, or `-`. */
  data?: string | undefined;
  /** A file with any bytes, or `-`. */
  input?: string | undefined;
  method?: string | undefined;
  path?: string | undefined;
  /** `Name: value`. */
  header?: string[] | undefined;
  /** False sends no token. */
  auth: boolean;
  /** In milliseconds. */
  timeout?: number | undefined;
  stream?: boolean | undefined;
  async?: boolean | undefined;
  wait?: boolean | undefined;
  webhook?: string | undefined;
  webhookSecretFile?: string | undefined;
  awaitWebhook?: boolean | undefined;
  port?: number | undefined;
  publicUrl?: string | undefined;
}
