/** A file to be sent. */
export interface FileEntry {
  /** Relative to the root, with forward slashes. */
  path: string;
  /** In bytes, when the file was found. */
  size: number;
  executable: boolean;
  /** Absolute path, or generated content. */
  source: { file: string } | { text: string };
}

export interface CollectOptions {
  include: readonly string[];
  exclude: readonly string[];
  /** Files to send whatever the patterns say, relative to the root: the config file, a Dockerfile, dependency files. */
  always?: readonly string[];
  /** Whether a file of this name is a temporary file of ours, which is never sent. */
  isTemporary?: (name: string) => boolean;
  signal?: AbortSignal;
}
