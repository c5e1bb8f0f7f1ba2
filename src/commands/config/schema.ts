import { defineCommand } from '../../command.ts';
import { configJsonSchema } from '../../project/json-schema.ts';

export default defineCommand({
  run: () => configJsonSchema(),
  verbatim: () => true,
  view: (schema) => () => JSON.stringify(schema, null, 2),
  examples: ['config schema > cerebrium.schema.json'],
});
