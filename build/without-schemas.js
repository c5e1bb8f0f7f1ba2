/** @import { Plugin } from 'rolldown' */

/**
 * conf checks what it stores against a schema, if it is given one. gantry gives none, and the validator would be a
 * twentieth of the program.
 * @type {Plugin}
 */
export const withoutSchemas = {
  name: 'without schemas',
  resolveId: (source, importer) =>
    /node_modules.conf./.test(importer ?? '') && /^ajv(\/|-|$)/.test(source) ? '\0without-schemas' : undefined,
  load: (id) =>
    id === '\0without-schemas' ? 'export const Ajv2020 = undefined;\nexport default undefined;\n' : undefined,
};
