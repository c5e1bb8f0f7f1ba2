import { defineCommand } from '../../command.ts';
import { requiring } from '../../flags/rules.ts';
import { checkNewSecretNames, readSecretValues, setSecrets } from '../../operations/secrets/index.ts';
import { secretChangeJson, secretChangeView } from '../../views/secrets.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<name...>', 'secret name; several with --from-env. Values are prompted for, never passed as arguments')
      .option('--app <app>', 'set the secrets of one app only')
      .addOption(
        command
          .createOption('--from-file <file>', 'read the value from this file, without its last newline; - is stdin')
          .conflicts('fromEnv'),
      )
      .addOption(requiring(command.createOption('--keep-newline', 'keep the last newline'), 'fromFile'))
      .option('--from-env', 'read each value from the environment variable of the same name'),
  run: (context, names, { app, ...source }) => {
    checkNewSecretNames(names, source.fromEnv);
    return setSecrets(context, { app }, () => readSecretValues(context, names, source));
  },
  view: secretChangeView,
  json: secretChangeJson,
  effect: 'destroys',
  dryRun: true,
  examples: [
    'secrets set HF_TOKEN',
    'secrets set DB_PASSWORD OPENAI_KEY --app web --from-env --yes',
    'secrets set TLS_KEY --from-file key.pem',
  ],
});
