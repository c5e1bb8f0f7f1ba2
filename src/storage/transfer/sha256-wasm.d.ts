/** The SHA-256 of hash-wasm alone: its entry has all algorithms, eleven times as much. */
declare module 'hash-wasm/dist/sha256.umd.min.js' {
  const library: Pick<typeof import('hash-wasm'), 'createSHA256'>;
  export default library;
}
