import { type FailureRule, rows, rowsWith } from '../rule.ts';

/** conda and its solvers. apt, and Debian packages. */
export const condaRules: readonly FailureRule[] = [
  ...rows`
apt-repository-failed | ^E: The repository '{repository…}' does not have a Release file; ^E: The repository '{repository…}' no longer has a Release file; ^E: The repository '{repository…}' is not signed; ^E: Failed to fetch {repository}; ^W: Failed to fetch {repository}; ^E: Some index files failed to download; ^E: Release file for {repository} is not valid yet; ^E: Release file for {repository} is expired; 404  Not Found [IP: ; NO_PUBKEY {key}; Temporary failure resolving '{repository}'; Hash Sum mismatch; At least one invalid signature was encountered; Clearsigned file isn't valid | an apt repository cannot be read: {repository} | check its address and key, or deploy again if it was down; after a 404, run apt-get update in the same RUN line, or use a newer base image | dependencies.apt
2 conda-conflict | UnsatisfiableError; which conflicts with the; which conflicts with any; cannot be installed because there are no viable options; Could not solve for environment specs | conda packages need versions that do not fit together | loosen the versions in [cerebrium.dependencies.conda] | dependencies.conda
conda-not-initialized | Your shell has not been properly configured to use 'conda; ^CondaError: Run 'conda init' before 'conda | the shell of the build does not know conda activate | use conda run -n NAME command, or run . /opt/conda/etc/profile.d/conda.sh before it in the same command | deployment.shell_commands
conda-terms-not-accepted | Terms of Service have not been accepted | the terms of service of the conda channels are not accepted | use conda-forge only (conda config --remove channels defaults), or run conda tos accept in the build | deployment.pre_build_commands
conda-environment-missing | ^EnvironmentNameNotFound: Could not find conda environment: {name}; ^EnvironmentLocationNotFound: Not a conda environment: {name} | there is no conda environment {name} | create it first, or correct its name: conda env list | deployment.shell_commands
3 apt-version-not-found | ^E: Version '{version}' for '{package}' was not found | the distribution of the image has no {package} {version} | {package} = "latest" | dependencies.apt.{package}
3 apt-conflict | ^The following packages have unmet dependencies; ^E: Unable to correct problems, you have held broken packages; ^E: Error, pkgProblemResolver::Resolve generated breaks | apt packages need versions that do not fit together | remove the versions, or use packages of the same distribution | dependencies.apt
2 apt-install-failed | ^E: Sub-process /usr/bin/dpkg returned an error code; ^dpkg: error processing package {package}; ^dpkg: error processing archive {package} | apt could not set up {package|a package} | read what its script printed above; set DEBIAN_FRONTEND=noninteractive, and install it alone to see why | dependencies.apt
3 apt-needs-confirmation | ^Do you want to continue? [Y/n] Abort | apt-get asks a question, and nobody answers in a build | add -y to the apt-get command | deployment.shell_commands
3 apt-locked | ^E: Could not get lock {path} | another apt process is running | run apt-get commands one after the other | deployment.pre_build_commands
3 conda-channel-failed | ^CondaHTTPError: HTTP {status}; ^critical libmamba …ownload error | a conda channel cannot be read | deploy again; if it fails again, check the name of the channel | dependencies.conda
3 conda-package-not-found | ^PackagesNotFoundError; /(?<![\w.-])(?<package>[\w.-]{1,80}) .{0,40}does not exist \(perhaps a typo/; No candidates were found for {package}; nothing provides requested {package}; ^ResolvePackageNotFound
  | the conda channels have no such package | correct its name or version; in an exported environment, write name=1.2 instead of name=1.2=0, or export it again with conda env export --from-history | dependencies.conda.{package}
`,
  ...rowsWith({ after: /^(?:PackagesNotFoundError|ResolvePackageNotFound)/ })`
3 conda-package-not-found | /^\s{1,6}- (?<package>[a-z][\w.-]{1,60})(?:[=<>].{0,60})?$/ | the conda channels have no {package} in this version for this system | correct its name or version, add the channel that has it, or build for linux/amd64; an environment of macOS or Windows names packages of that system (libcxx, vc): export it again with conda env export --from-history, without builds | dependencies.conda.{package}
`,
  ...rows`
3 apt-package-not-found † | ^E: Unable to locate package {package}; ^E: Package '{package}' has no installation candidate; {package} (no such package); ^No match for argument: {package}; ^{|Error: }No package {package} available | the distribution of the image has no package {package} | run apt-get update before it in the same command, or correct the name: packages.debian.org lists those of each release | dependencies.apt.{package}
5 apt-repository-failed | /^E: (?:The repository '|Failed to fetch )https?:\/\/\S{1,80}?(?:\/dists\/| )(?<release>jessie|stretch|buster|xenial|artful|cosmic|disco|eoan|groovy|hirsute|impish|kinetic|lunar|mantic|oracular)\b.{0,160}(?:Release file|404)/
  | the mirrors have no longer the release {release} of the base image, which is not supported any more | use a base image of a supported release, such as bookworm, instead of {release} | deployment.docker_base_image_url
`,
];
