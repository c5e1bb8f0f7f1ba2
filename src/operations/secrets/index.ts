export { readSecrets, type SecretChange, setSecrets, unsetSecrets } from './change-secrets.ts';
export { checkSecretNames, readSecretsFile, readSecretValues, rejectSecretValue } from './secret-values.ts';
