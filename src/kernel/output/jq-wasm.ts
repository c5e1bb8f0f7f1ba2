import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { ownLocation } from '../../own-files.ts';

/** jq as WebAssembly. In the built program, the build replaces this module (build/library-parts.js). */
export function readJq(): Promise<Uint8Array> {
  return readFile(createRequire(`${ownLocation()}/`).resolve('jq-wasm/jq.wasm'));
}
