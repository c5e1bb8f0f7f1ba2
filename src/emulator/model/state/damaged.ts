/** A file of the data folder that cannot be used. It is never overwritten. */
export class DamagedDataError extends Error {
  constructor(
    readonly file: string,
    reason: string,
    cause?: unknown,
  ) {
    super(`the emulator's data in ${file} cannot be read: ${reason}`, { cause });
  }
}
