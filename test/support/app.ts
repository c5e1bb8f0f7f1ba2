import { resolve } from 'node:path';

/** The smallest app that deploys. */
export function smallApp(more = ''): Record<string, string> {
  return {
    'cerebrium.toml': `[cerebrium.deployment]\nname = "web"\ndisable_auth = false\n${more}`,
    'main.py': 'def run():\n    return {"hello": "world"}\n',
  };
}

export const fixture = (app: string): string => resolve('fixtures/apps', app);
