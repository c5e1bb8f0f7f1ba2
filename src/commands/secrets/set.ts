import { defineCommand } from '../../command.ts';
import { checkSecretNames, readSecretValues, setSecrets } from '../../operations/secrets/index.ts';
import { secretChangeJson, secretChangeView } from '../../views/secrets.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<name...>', 'names; their values are asked for, and never taken from the command line')
      .option('--app <app>', 'for one app only')
      .option('--from-file <file>', 'take the value from this file, without the newline at its end; - is stdin')
      .option('--raw', 'with --from-file: keep that newline')
      .option('--from-env', 'take each value from the variable of the same name'),
  run: (context, names, { app, ...source }) => {
    checkSecretNames(names);
    return setSecrets(context, { app }, () => readSecretValues(context, names, source));
  },
  view: secretChangeView,
  json: secretChangeJson,
  examples: [
    'secrets set HF_TOKEN',
    'secrets set DB_PASSWORD OPENAI_KEY --app web --from-env --yes',
    'secrets set TLS_KEY --from-file key.pem',
  ],
});
