import { defineCommand } from '../../command.ts';
import { jsonSchema } from '../../project/json-schema.ts';

export default defineCommand({
  run: () => jsonSchema(),
  verbatim: () => true,
  view: (schema) => () => JSON.stringify(schema, null, 2),
  examples: ['config schema > cerebrium.schema.json'],
});
