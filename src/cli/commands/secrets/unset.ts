import { checkSecretNames, unsetSecrets } from '../../../team/secrets.ts';
import { defineCommand } from '../../command.ts';
import { afterSecretChange, secretChangeJson, secretChangeView } from '../../views/secrets.ts';

export default defineCommand({
  configure: (command) =>
    command.argument('<name...>', 'secret names').option('--app <app>', 'remove the secrets of one app only'),
  run: async (context, names, { app }) => {
    checkSecretNames(context, names, { app });
    return unsetSecrets(context, { app }, names);
  },
  view: (change) => secretChangeView(change, 'not found'),
  next: afterSecretChange,
  json: secretChangeJson,
  effect: 'destroys',
  dryRun: true,
  examples: ['secrets unset HF_TOKEN', 'secrets unset DB_PASSWORD OPENAI_KEY --app web --yes'],
});
