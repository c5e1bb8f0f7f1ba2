import { gantryCommand, sentence } from '../../../kernel/command-line.ts';
import { UsageError } from '../../../kernel/errors.ts';
import { checkNewSecretNames, readSecretsFile, readSecretValues, setSecrets } from '../../../team/secrets.ts';
import { defineCommand } from '../../command.ts';
import { afterSecretChange, secretChangeJson, secretChangeView } from '../../views/secrets.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('[name...]', 'secret name, or several with --from-env')
      .option('--app <app>', 'set the secrets of one app only')
      .option('--from-file <file>', 'read the value from this file; - is stdin')
      .option('--keep-newline', 'keep the last newline')
      .option('--from-env', 'read each value from the environment variable of the same name')
      .option('--from-env-file <file>', 'set all NAME=value lines or JSON of this file; - is stdin'),
  flagRules: {
    requires: { keepNewline: ['fromFile'] },
    excludes: { fromFile: ['fromEnv'], fromEnvFile: ['fromFile', 'fromEnv'] },
  },
  run: (context, names, { app, fromEnvFile, ...source }) => {
    if (fromEnvFile !== undefined) {
      checkNoNames(names, fromEnvFile);
      return setSecrets(context, { app }, () => readSecretsFile(context, fromEnvFile));
    }
    if (names.length === 0) {
      throw new UsageError('missing argument <name>', {
        fix: sentence`${gantryCommand`secrets set NAME`}, or ${gantryCommand`secrets set --from-env-file .env`}`,
      });
    }
    checkNewSecretNames(context, names, { app, fromEnv: source.fromEnv });
    return setSecrets(context, { app }, () => readSecretValues(context, names, source));
  },
  view: (change) => secretChangeView(change),
  next: afterSecretChange,
  json: secretChangeJson,
  effect: 'destroys',
  dryRun: true,
  examples: [
    'secrets set HF_TOKEN',
    'secrets set DB_PASSWORD OPENAI_KEY --app web --from-env --yes',
    'secrets set TLS_KEY --from-file key.pem',
    'secrets set --from-env-file .env',
  ],
});

/** A word beside the file may be a value that was typed by mistake: it is not repeated. */
function checkNoNames(names: readonly string[], file: string): void {
  if (names.length === 0) return;
  throw new UsageError('--from-env-file takes no names: it sets all secrets of the file', {
    fix: gantryCommand`secrets set --from-env-file ${file}`,
  });
}
