/** The life of an upload URL (docs/platform.md#uploads), and what an upload that began in time may take. In ms. */
export const maxPendingMs = 600_000 + 60_000;

/** Whether a build waits for its upload. */
export function isPending(status: string): boolean {
  return /^pending$/i.test(status);
}
