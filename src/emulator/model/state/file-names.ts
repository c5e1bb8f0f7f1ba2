import { createHash } from 'node:crypto';

/**
 * A file name for an app or its id. Names that differ in case only are the same file on some disks, and some characters
 * are not allowed on others, so such names get a hash.
 */
export function fileNameOf(app: string): string {
  if (/^[a-z0-9-]+$/.test(app)) return app;
  const readable = app
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '_')
    .slice(0, 60);
  return `${readable}.${createHash('sha256').update(app).digest('hex').slice(0, 16)}`;
}
