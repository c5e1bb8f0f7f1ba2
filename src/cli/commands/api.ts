import { callPlatform } from '../../platform/any-endpoint.ts';
import { defineCommand } from '../command.ts';
import { repeatablePairFlag } from '../flags/values.ts';
import { anything, document, integer, record, text } from '../result-schema.ts';

export default defineCommand({
  configure: (command) =>
    command
      .argument('<method>', 'GET, POST, PUT, PATCH or DELETE')
      .argument('<path>', 'path, such as /v2/projects/{project}/apps; {project} is filled in')
      .option('--query <name=value>', 'query parameter (repeatable)', repeatablePairFlag)
      .option('--field <name=value>', 'text field of the JSON body; name:=json for others', repeatablePairFlag)
      .option('--input <file>', 'read the body from this file; - is stdin')
      .option('-i, --show-headers', 'print the status and headers'),
  flagRules: { excludes: { input: ['field'] } },
  run: (context, method, path, { query = [], field: fields = [], input }) =>
    callPlatform(context, { method: method.toUpperCase(), path, query, fields, input }),
  verbatim: () => true,
  view:
    ({ statusCode, headers, text }, { showHeaders }) =>
    ({ style }) => {
      const head = [`HTTP ${statusCode}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), ''];
      return [...(showHeaders ? head.map((line) => style.dim(line)) : []), text.replace(/\n$/, '')].join('\n');
    },
  effect: 'destroys',
  effectOf: (method) => (method.toUpperCase() === 'GET' ? 'reads' : 'destroys'),
  json: document({
    statusCode: integer('HTTP status'),
    headers: record(anything('text, or a list of texts'), 'response headers'),
    body: anything('response body, parsed if it is JSON'),
    text: text('response body as text'),
  }),
  examples: [
    "api GET '/v2/projects/{project}/apps'",
    'api PATCH /v2/projects/p-1/apps/p-1-web --field maxReplicaCount:=3',
    'api GET /v2/projects --json=body',
  ],
});
