/** Unpacked sizes in bytes and checksums, by path. */
export type FileList = Map<string, { size: number; crc32: number }>;

export interface ReadArchive {
  files: FileList;
  /** The content of the requested files that exist. */
  contents: Map<string, Buffer>;
}
