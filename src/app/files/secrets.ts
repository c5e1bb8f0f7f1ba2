/** Finds secret files by their names. Ambiguous ones (`config.json`) and well-known public certificates do not count. */

import type { Problem } from '../../kernel/errors.ts';
import { words } from '../../kernel/words.ts';
import { compileGlob, compileNames } from './glob.ts';
import { excludeLine } from './patterns.ts';

/** Returns one warning for all such files, or none. `paths` are relative to the root, `exclude` has the present patterns. */
export function secretsWarning(paths: readonly string[], exclude: readonly string[]): Problem[] {
  const secretPaths = paths.filter(looksSecret);
  if (secretPaths.length === 0) return [];

  const more = secretPaths.length > maxShown ? ` and ${secretPaths.length - maxShown} more` : '';
  const names = `${secretPaths.slice(0, maxShown).join(', ')}${more}`;
  return [
    {
      severity: 'warning',
      message:
        secretPaths.length === 1
          ? `this file looks like a secret: ${names}`
          : `these files look like secrets: ${names}`,
      why: 'everyone with access to the app can read its files',
      fix: excludeLine(exclude, secretPaths.slice(0, maxExcluded)),
    },
  ];
}

export function looksSecret(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    (isSecret(name) && !isHarmless(name)) || (/(^|\/)\./.test(path) && secretPaths.some((each) => each.matches(path)))
  );
}

const maxShown = 5;
/** In the line to copy. */
const maxExcluded = 50;

const isSecret = compileNames(
  words(
    '.env .env.* *.env .envrc',
    'id_rsa id_dsa id_ecdsa id_ed25519 *.pem *.key *.p12 *.pfx *.jks *.keystore *.ppk',
    '.npmrc .pypirc .netrc _netrc .git-credentials .htpasswd .pgpass .my.cnf .boto .s3cfg',
    'service[-_]account*.json *credentials*.json client_secret*.json secrets.{json,toml,yaml,yml}',
    'terraform.tfstate terraform.tfstate.backup *.tfvars *.kdbx .vault-token',
  ),
);

const isHarmless = compileNames(
  words(
    '.env.{example,sample,template,dist,defaults} {example,sample,template}.env',
    'cacert.pem ca-certificates.pem ca-bundle.pem fullchain.pem *.pub.pem public*.pem',
    '*{example,sample,template}*credentials*.json *credentials*{example,sample,template,schema}*.json',
  ),
);

/** Secret because of their folder, which is hidden. */
const secretPaths = [
  '.aws/credentials',
  '.kube/config',
  '.docker/config.json',
  '.config/gcloud/**/*',
  '.azure/**/*',
].flatMap((path) => compileGlob(`**/${path}`) ?? []);
