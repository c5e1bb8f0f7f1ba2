/** Who sent a request. */
export interface Caller {
  /** The owner's token is the one that the emulator prints at its start. */
  kind: 'owner' | 'user' | 'service account' | 'inference key';
  name: string;
  /** The projects that it has access to; undefined for all. */
  projects: readonly string[] | undefined;
}
