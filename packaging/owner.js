import manifest from '../package.json' with { type: 'json' };

/**
 * Where a release is published. Only `GANTRY_OWNER` names the account that has the repository, so that no file of it needs
 * a placeholder; a release fills it in where it is read. Undefined without the variable.
 */
export function addresses(owner = process.env.GANTRY_OWNER) {
  if (!owner) return undefined;
  const repository = `https://github.com/${owner}/gantry`;
  return {
    owner,
    repository,
    homepage: `${repository}#readme`,
    bugs: `${repository}/issues`,
    releases: `${repository}/releases/download/v${manifest.version}`,
    image: `ghcr.io/${owner.toLowerCase()}/gantry`,
  };
}

/** The package.json that is published. */
export function publishedManifest(owner = process.env.GANTRY_OWNER) {
  const { homepage, bugs, repository } = addresses(owner) ?? {};
  if (!repository) return manifest;
  return { ...manifest, homepage, bugs, repository: { type: 'git', url: `git+${repository}.git` }, author: owner };
}

/** What is installed from the account's own pages, for the notes of a release. */
export function installNotes(owner = process.env.GANTRY_OWNER) {
  const at = addresses(owner);
  if (!at) return '';
  return `
### Install

- Homebrew: \`brew install ${at.owner}/tap/gantry\`
- Docker: \`docker run --rm -v "$PWD:/work" -e GANTRY_TOKEN -e GANTRY_PROJECT ${at.image} deploy\`
- a dev container: \`"features": { "${at.image}/gantry:0": {} }\`
- GitHub Actions: \`- uses: ${at.owner}/gantry@v${manifest.version}\` with \`token: \${{ secrets.GANTRY_TOKEN }}\` and \`project:\`
- Verify: \`gh attestation verify FILE --repo ${at.owner}/gantry\`, or \`oci://${at.image}\` instead of the file
`;
}
