import { defineCommand } from '../../command.ts';
import { importedSecrets, setSecrets } from '../../operations/secrets/index.ts';
import { changeJson, changeView } from '../../views/secrets.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<file>', 'NAME=value lines as in .env, or one JSON object; - is stdin')
      .option('--app <app>', 'for one app only'),
  run: (context, file, { app }) => setSecrets(context, { app }, () => importedSecrets(context, file)),
  view: changeView,
  json: changeJson,
  examples: ['secrets import .env', 'secrets import production.json --app web --yes'],
});
