export { readSecrets, type SecretChange, setSecrets, unsetSecrets } from './change-secrets.ts';
export { checkNewSecretNames, checkSecretNames, readSecretsFile, readSecretValues } from './secret-values.ts';
