import { defineCommand } from '../command.ts';
import { repeatablePairFlag } from '../flags/values.ts';
import { callPlatform } from '../operations/api/index.ts';
import { anything, document, integer, record, text } from '../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<method>', 'GET, POST, PUT, PATCH or DELETE')
      .argument('<path>', 'such as /v2/projects/{project}/apps; {project} is filled in')
      .option('--query <name=value>', 'a query parameter; may be given again', repeatablePairFlag)
      .option('--field <name=value>', 'a text in the JSON body; name:=json for anything else', repeatablePairFlag)
      .option('--input <file>', 'take the body from this file; - is stdin')
      .option('--include', 'print status and headers too')
      .option('--paginate', 'fetch all pages and join them'),
  run: (context, method, path, { query = [], field: fields = [], input, paginate }) =>
    callPlatform(context, { method: method.toUpperCase(), path, query, fields, input, paginate }),
  verbatim: () => true,
  view:
    ({ status, headers, text }, { include }) =>
    ({ style }) => {
      const head = [`HTTP ${status}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), ''];
      return [...(include ? head.map((line) => style.dim(line)) : []), text.replace(/\n$/, '')].join('\n');
    },
  effect: 'destroys',
  json: document({
    status: integer('HTTP status'),
    headers: record(anything('text, or a list of texts'), 'headers of the answer'),
    body: anything('the answer, parsed where it is JSON'),
    text: text('the answer as it came'),
  }),
  examples: [
    "api GET '/v2/projects/{project}/apps'",
    "api PATCH '/v2/projects/{project}/apps/p-12345678-web' --field maxReplicaCount:=3",
    'api GET /v2/projects --json=body',
  ],
});
