/**
 * Files that look like secrets, by name: people are told before they send one.
 *
 * Names only, nobody's files are read. False alarms teach people to ignore the true ones, so what merely could be a
 * secret (`config.json`, `auth.py`) is not listed, and well-known public certificates are spared.
 */
import type { Problem } from '../../errors.ts';
import { compileGlob, compileNames } from './glob.ts';

/** One warning for all of them, or none. `paths` are relative to the root. */
export function secretsWarning(paths: readonly string[]): Problem[] {
  const found = paths.filter(looksSecret);
  if (found.length === 0) return [];

  const more = found.length > shown ? ` and ${found.length - shown} more` : '';
  const names = `${found.slice(0, shown).join(', ')}${more}`;
  return [
    {
      severity: 'warning',
      message:
        found.length === 1 ? `this file looks like a secret: ${names}` : `these files look like secrets: ${names}`,
      why: 'everything that is sent can be read by all who can see the app',
      fix: `exclude = [${found
        .slice(0, shown)
        .map((path) => JSON.stringify(`./${path}`))
        .join(', ')}]`,
    },
  ];
}

export function looksSecret(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (isSecret(name) && !isHarmless(name)) || (/(^|\/)\./.test(path) && places.some((each) => each.matches(path)));
}

const shown = 5;

const isSecret = compileNames([
  ...['.env', '.env.*', '*.env', '.envrc'],
  ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', '*.pem', '*.key', '*.p12', '*.pfx', '*.jks', '*.keystore', '*.ppk'],
  ...[
    '.npmrc',
    '.pypirc',
    '.netrc',
    '_netrc',
    '.git-credentials',
    '.htpasswd',
    '.pgpass',
    '.my.cnf',
    '.boto',
    '.s3cfg',
  ],
  ...['service[-_]account*.json', '*credentials*.json', 'client_secret*.json', 'secrets.{json,toml,yaml,yml}'],
  ...['terraform.tfstate', 'terraform.tfstate.backup', '*.tfvars', '*.kdbx', '.vault-token'],
]);

const isHarmless = compileNames([
  ...['.env.{example,sample,template,dist,defaults}', '{example,sample,template}.env'],
  ...['cacert.pem', 'ca-certificates.pem', 'ca-bundle.pem', 'fullchain.pem', '*.pub.pem', 'public*.pem'],
  ...['*{example,sample,template}*credentials*.json', '*credentials*{example,sample,template,schema}*.json'],
]);

/** Files that are secret because of where they are, all of them in hidden folders. */
const places = [
  ...['.aws/credentials', '.kube/config', '.docker/config.json', '.config/gcloud/**/*', '.azure/**/*'],
].flatMap((place) => compileGlob(`**/${place}`) ?? []);
