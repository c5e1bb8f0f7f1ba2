import { setConfigValue } from './set-config-value.ts';
import { toToml } from './toml/format.ts';

/** Sets the app name in the text of a config file, since the platform reads it there, too. Changes nothing else. */
export function withAppName(text: string, name: string): Promise<string> {
  return setConfigValue(text, ['cerebrium', 'deployment'], 'name', toToml(name));
}
