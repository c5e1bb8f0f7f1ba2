import manifest from '../package.json' with { type: 'json' };
import releaseNames from './release-names.json' with { type: 'json' };

/** @typedef {Record<keyof typeof releaseNames, string | null>} Names */

/**
 * Where a release is published. Only `packaging/release-names.json` has the repository, as in `owner/gantry`, and the names
 * of the packages, so that no file needs a placeholder. Undefined without a repository.
 * @param {Names} names
 */
export function addresses({ repository: path } = releaseNames) {
  if (!path) return undefined;
  const [owner = ''] = path.split('/');
  const repository = `https://github.com/${path}`;
  return {
    owner,
    path,
    repository,
    homepage: `${repository}#readme`,
    bugs: `${repository}/issues`,
    releases: `${repository}/releases/download/v${manifest.version}`,
    image: `ghcr.io/${path.toLowerCase()}`,
  };
}

/**
 * The package.json that is published. Its scripts are for a clone: npm warns of `prepare` when it installs.
 * @param {Names} names
 */
export function publishedManifest(names = releaseNames) {
  const { owner, homepage, bugs, repository } = addresses(names) ?? {};
  const { scripts: _, ...published } = manifest;
  if (!repository) return published;
  return {
    ...published,
    name: names.npm ?? manifest.name,
    homepage,
    bugs,
    repository: { type: 'git', url: `git+${repository}.git` },
    author: owner,
  };
}

/**
 * What is installed from the account's own pages, for the notes of a release.
 * @param {Names} names
 */
export function installNotes(names = releaseNames) {
  const at = addresses(names);
  if (!at) return '';
  return `
### Install

- Homebrew: \`brew install ${at.owner}/tap/gantry\`
- Docker: \`docker run --rm -v "$PWD:/work" -e GANTRY_TOKEN -e GANTRY_PROJECT ${at.image} deploy\`
- a dev container: \`"features": { "${at.image}/gantry:0": { "package": "${at.releases}/gantry-${manifest.version}.tgz" } }\`
- GitHub Actions: \`- uses: ${at.path}@v${manifest.version}\` with \`token: \${{ secrets.GANTRY_TOKEN }}\` and \`project:\`
- Verify: \`gh attestation verify FILE --repo ${at.path}\`, or \`oci://${at.image}\` instead of the file
`;
}
