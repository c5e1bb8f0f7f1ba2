/** A webhook delivery to an address of the emulator itself, so that a test can look at it without a server of its own. */
export interface CapturedDelivery {
  url: string;
  headers: Record<string, string>;
  body: string;
}
