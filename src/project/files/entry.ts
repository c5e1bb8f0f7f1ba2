/** One file of the archive to be. */
export interface FileEntry {
  /** Relative to the root, with forward slashes. */
  path: string;
  /** In bytes, as it was when the file was found. */
  size: number;
  executable: boolean;
  /** An absolute path, or generated content. */
  source: { file: string } | { text: string };
}

export interface CollectOptions {
  include: readonly string[];
  exclude: readonly string[];
  /** Relative to the root; in whatever the patterns say: the config file, a Dockerfile, dependency files. */
  always?: readonly string[];
  /** Whether a file of this name is a temporary one of ours, which is never sent. */
  isTemporary?: (name: string) => boolean;
  signal?: AbortSignal;
}
