import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/server';
import { isRecord, JsonNumber, parseJson } from '../../kernel/json-text.ts';

/** What a line of stdin has: a message that the SDK understands, or the answer to one that it would drop. */
export type ParsedLine = { message: string } | { answer: unknown };

/** Undefined for what has no answer: an empty line, and a notification or a response that cannot be understood. */
export function readMessage(line: string): ParsedLine | undefined {
  if (line.trim() === '') return undefined;
  let value: unknown;
  try {
    value = parseJson(line);
  } catch (error) {
    return { answer: failure(null, codes.parse, `not JSON: ${(error as Error).message}`) };
  }
  if (Array.isArray(value)) return readBatch(value);
  const problem = problemOf(value);
  return problem ? answerTo(value, problem) : { message: line };
}

type Problem = [code: number, message: string];

/** The codes of JSON-RPC 2.0. */
const codes = { parse: -32700, request: -32600, params: -32602 };

function problemOf(value: unknown): Problem | undefined {
  if (!isRecord(value)) return [codes.request, 'a message is a JSON object'];
  if (Object.hasOwn(value, 'id') && Object.hasOwn(value, 'method') && !isId(value.id)) {
    return [codes.request, 'the id of a request is a text or a whole number of up to 15 digits'];
  }
  if (isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value)) return undefined;
  const { jsonrpc, method, params = {} } = value;
  if (jsonrpc !== '2.0') return [codes.request, '"jsonrpc" must be "2.0"'];
  if (typeof method !== 'string') return [codes.request, '"method" must be a text'];
  return isRecord(params) ? [codes.params, 'invalid "params"'] : [codes.params, '"params" must be an object'];
}

function answerTo(value: unknown, [code, message]: Problem): ParsedLine | undefined {
  if (!isRecord(value)) return { answer: failure(null, code, message) };
  const isNotification = !Object.hasOwn(value, 'id') && typeof value.method === 'string';
  const isResponse = Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error');
  if (isNotification || isResponse) return undefined;
  return { answer: failure(value.id, code, message) };
}

/** MCP has no batches. Its requests are answered, since a client waits for them. */
function readBatch(messages: readonly unknown[]): ParsedLine | undefined {
  const message = 'MCP has no batches: send each message on a line of its own';
  if (messages.length === 0) return { answer: failure(null, codes.request, message) };
  const answers = messages
    .map((each) => answerTo(each, [codes.request, message]))
    .flatMap((read) => (read && 'answer' in read ? [read.answer] : []));
  return answers.length === 0 ? undefined : { answer: answers };
}

/** With the id as it was sent, so that the client finds its request; null for one that can be no id. */
function failure(id: unknown, code: number, message: string): object {
  const isShown = typeof id === 'string' || typeof id === 'number' || id instanceof JsonNumber;
  return { jsonrpc: '2.0', id: isShown ? id : null, error: { code, message } };
}

/** Another number could not be sent back with its digits. */
function isId(id: unknown): boolean {
  return typeof id === 'string' || Number.isSafeInteger(id);
}
