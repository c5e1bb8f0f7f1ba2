/** Variables that replace those of the environment: they lead to the emulator of this folder. */
export interface LocalSettings {
  variables: Record<string, string>;
  /** `flag`, or `folder (/home/me/app)`. */
  origin: string;
  /** Whether it was started for this command. */
  isStarted: boolean;
}
