/**
 * Small checks of request bodies: each gives undefined, or what is wrong. An unknown name is wrong, too.
 * @typedef {(value: unknown, name: string) => string | undefined} Check
 */

/** @type {Check} */
export const text = (value, name) => (typeof value === 'string' ? undefined : `${name} is not a string`);
/** @type {Check} */
export const filled = (value, name) =>
  typeof value === 'string' && value ? undefined : `${name} is not a filled string`;
/** @type {Check} */
export const integer = (value, name) => (Number.isInteger(value) ? undefined : `${name} is not an integer`);
/** @type {Check} */
export const number = (value, name) => (Number.isFinite(value) ? undefined : `${name} is not a number`);
/** @type {Check} */
export const flag = (value, name) => (typeof value === 'boolean' ? undefined : `${name} is not a boolean`);
/** @type {Check} */
export const anything = () => undefined;

/** @param {Check} check @returns {Check & { isOptional?: true }} */
export const optional = (check) =>
  Object.assign(/** @type {Check} */ ((value, name) => (value === undefined ? undefined : check(value, name))), {
    isOptional: /** @type {true} */ (true),
  });

/** @param {Check} check @returns {Check} */
export const list = (check) => (value, name) => {
  if (!Array.isArray(value)) return `${name} is not an array`;
  for (const [index, item] of value.entries()) {
    const wrong = check(item, `${name}[${index}]`);
    if (wrong) return wrong;
  }
  return undefined;
};

/** @param {Record<string, Check & { isOptional?: true }>} fields @returns {Check} */
export const shape = (fields) => (value, name) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${name} is not an object`;
  const given = /** @type {Record<string, unknown>} */ (value);
  for (const field of Object.keys(given)) if (!Object.hasOwn(fields, field)) return `${name}.${field} is unknown`;
  for (const [field, check] of Object.entries(fields)) {
    if (!Object.hasOwn(given, field)) {
      if (!check.isOptional) return `${name}.${field} is missing`;
    } else {
      const wrong = check(given[field], `${name}.${field}`);
      if (wrong) return wrong;
    }
  }
  return undefined;
};

/** @type {Check} A map of texts. */
export const texts = (value, name) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${name} is not an object`;
  const odd = Object.entries(value).find(([, item]) => typeof item !== 'string');
  return odd && `${name}.${odd[0]} is not a string`;
};

/** The body of create app (spec 2.2; docs/platform.md#apps). */
export const appCreation = shape({
  name: filled,
  platform_toml: optional(text),
  ...Object.fromEntries(
    [
      'baseImage',
      'cliVersion',
      'computeTier',
      'containerRuntime',
      'dockerAuth',
      'dockerfilePath',
      'healthcheckEndpoint',
    ]
      .concat(['loadBalancingAlgorithm', 'logLevel', 'provider', 'pythonVersion', 'readycheckEndpoint', 'region'])
      .concat(['runtime', 'scalingMetric', 'partnerService', 'modelName', 'language', 'imageVersion'])
      .map((name) => [name, optional(text)]),
  ),
  ...Object.fromEntries(
    ['cooldownPeriodSeconds', 'deploymentInitializationTimeout', 'evaluationIntervalSeconds', 'gpuCount', 'port']
      .concat(['maxReplicaCount', 'minReplicaCount', 'replicaConcurrency', 'responseGracePeriodSeconds'])
      .concat(['rollOutDurationSeconds', 'scalingBuffer', 'scalingTarget'])
      .map((name) => [name, optional(integer)]),
  ),
  ...Object.fromEntries(['cpu', 'memory'].map((name) => [name, optional(number)])),
  ...Object.fromEntries(
    ['disableAuth', 'useUv', 'partialUpload', 'disableBuildLogs'].map((name) => [name, optional(flag)]),
  ),
  compute: optional(list(text)),
  entrypoint: optional(list(text)),
  include: optional(list(text)),
  exclude: optional(list(text)),
  shellCommands: optional((value, name) => (value === null ? undefined : list(text)(value, name))),
  preBuildCommands: optional((value, name) => (value === null ? undefined : list(text)(value, name))),
});
