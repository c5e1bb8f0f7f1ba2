import { defineCommand } from '../../command.ts';
import { configJsonSchema } from '../../project/json-schema.ts';
import { anyDocument } from '../../result-schema.ts';

export default defineCommand({
  run: () => configJsonSchema(),
  verbatim: () => true,
  view: (schema) => () => JSON.stringify(schema, null, 2),
  json: anyDocument('JSON Schema of cerebrium.toml'),
  effect: 'reads',
  local: true,
  exits: [],
  examples: ['config schema > cerebrium.schema.json'],
});
