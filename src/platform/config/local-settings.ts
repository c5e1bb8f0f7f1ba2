/** Variables that replace those of the environment: they lead to an emulator that belongs to this folder. */
export interface LocalSettings {
  /** In the words of a target: `emulator of this folder`, `emulator on port 4100`. */
  name: string;
  variables: Record<string, string>;
  /** What leads to it from any shell; empty if only its variables do. */
  flags: string[];
  /** `flag`, or `folder (/home/me/app)`. */
  origin: string;
  /** The profile whose login is not used, because the folder remembers the emulator. */
  unused?: string | undefined;
  /** Whether it was started for this command. */
  isStarted: boolean;
}
