import type { AppSettings } from '../apps/settings.ts';

/** The packages of an app in pip's format: those of its requirements.txt, and those that the platform adds. */
export function requirementsOf(settings: AppSettings, texts: ReadonlyMap<string, string>): string {
  const { runtime, entrypoint, dockerfilePath } = settings;
  // An image has its own.
  if (dockerfilePath) return '';
  const listed = texts.get('requirements.txt') ?? '';
  const words = entrypoint.flatMap((part) => part.split(/\s+/));
  const isNamed = /^\s*uvicorn\b/im.test(listed);
  // The platform has it for entrypoints that start it (docs/platform.md#builds).
  const needsServer = runtime === 'custom' && words.includes('uvicorn') && !isNamed;
  return needsServer ? `${listed.trimEnd()}\nuvicorn\n`.trimStart() : listed;
}
