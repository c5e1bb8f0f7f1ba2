export { readSecrets, type SecretChange, setSecrets, unsetSecrets } from './change-secrets.ts';
export { checkNames, importedSecrets, secretValues } from './secret-values.ts';
