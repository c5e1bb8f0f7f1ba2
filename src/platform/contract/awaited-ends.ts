/**
 * The statuses with which the official client stops waiting (docs/platform.md#one-off-runs). For any other it waits until
 * its own limit, so the emulator ends builds and one-off runs with these.
 */
export type AwaitedEnd = {
  build: 'success' | 'ready' | 'failure' | 'build_failure' | 'init_failure' | 'init_timeout' | 'cancelled';
  oneOffRun: 'success' | 'failed' | 'fail';
};
