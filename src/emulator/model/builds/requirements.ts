import type { AppSettings } from '../apps/settings.ts';

/** The packages of an app in pip's format: its requirements.txt as it was sent, and those that the platform adds. */
export function requirementsOf(settings: AppSettings, listed: Buffer = Buffer.alloc(0)): Buffer {
  const { runtime, entrypoint, dockerfilePath } = settings;
  // An image has its own.
  if (dockerfilePath) return Buffer.alloc(0);
  const text = String(listed);
  const words = entrypoint.flatMap((part) => part.split(/\s+/));
  const isNamed = /^\s*uvicorn\b/im.test(text);
  // The platform has it for entrypoints that start it (docs/platform.md#builds).
  const needsServer = runtime === 'custom' && words.includes('uvicorn') && !isNamed;
  return needsServer
    ? Buffer.concat([listed, Buffer.from(/(^|\n)$/.test(text) ? 'uvicorn\n' : '\nuvicorn\n')])
    : listed;
}
