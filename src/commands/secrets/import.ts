import { defineCommand } from '../../command.ts';
import { platformExits } from '../../errors.ts';
import { readSecretsFile, setSecrets } from '../../operations/secrets/index.ts';
import { secretChangeJson, secretChangeView } from '../../views/secrets.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<file>', 'file with NAME=value lines, or a JSON object; - is stdin')
      .option('--app <app>', 'set the secrets of one app only'),
  run: (context, file, { app }) => setSecrets(context, { app }, () => readSecretsFile(context, file)),
  view: secretChangeView,
  json: secretChangeJson,
  effect: 'destroys',
  dryRun: true,
  exits: [...platformExits, 'project'],
  examples: ['secrets import .env', 'secrets import production.json --app web --yes'],
});
