import { cutText } from '@mira/shared/constants/cut-text'
import { BadRequestError } from '../../../errors.ts'
import type { CompletionRequest } from './protocol.ts'
import type { ResponseRequest } from './responses-protocol.ts'

// A model server fetches URLs from its own network position, which may be a private network. So nothing is relayed that it
// could fetch: content parts and messages are rebuilt from the keys named here, and everything else is searched for URLs.

type Json = Record<string, unknown>
/**
 * `dataUrl`: a data URL. `base64`: a data URL or bare base64. `picture`: a data URL or an object with one. `parts`: more
 * content.
 */
type Field = 'text' | 'dataUrl' | 'base64' | 'picture' | 'parts' | { [key: string]: Field }
type Fields = Record<string, Field>

const audio: Fields = { input_audio: { data: 'base64', format: 'text' } }
/** The parts of chat completions, by type. Citations of earlier answers are dropped: no model reads them. */
const CHAT_PARTS: Record<string, Fields> = {
  text: { text: 'text', cache_control: { type: 'text' } },
  refusal: { refusal: 'text' },
  image_url: { image_url: 'picture' },
  input_audio: audio,
  file: { file: { file_data: 'base64', filename: 'text' } },
  thinking: { thinking: 'parts', signature: 'text' },
}
const RESPONSE_PARTS: Record<string, Fields> = {
  text: { text: 'text' },
  input_text: { text: 'text' },
  output_text: { text: 'text' },
  summary_text: { text: 'text' },
  reasoning_text: { text: 'text' },
  refusal: { refusal: 'text' },
  input_image: { image_url: 'dataUrl', detail: 'text' },
  input_file: { file_data: 'base64', filename: 'text' },
  input_audio: audio,
}

const MESSAGE_KEYS = [
  ...['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'function_call', 'refusal', 'cache_control', 'prefix'],
  ...['reasoning', 'reasoning_content', 'reasoning_details', 'thinking_blocks'],
]
/** Items of a response's input, by type. Items of other types refer to something that the model's server stores or fetches. */
const ITEM_KEYS: Record<string, string[]> = {
  message: ['type', 'role', 'content', 'id', 'status'],
  function_call: ['type', 'call_id', 'name', 'arguments', 'id', 'status'],
  function_call_output: ['type', 'call_id', 'output', 'id', 'status'],
  custom_tool_call: ['type', 'call_id', 'name', 'input', 'id', 'status'],
  custom_tool_call_output: ['type', 'call_id', 'output', 'id', 'status'],
  reasoning: ['type', 'summary', 'content', 'encrypted_content', 'id', 'status'],
}
/** Tools of other types are run by the model's server: some connect to a URL (`mcp`), others read data that all users share. */
const TOOL_TYPES = new Set(['function', 'custom'])

/** Keys whose strings are text for the model. */
const TEXT_KEYS = new Set([
  ...[
    'content',
    'text',
    'arguments',
    'input',
    'output',
    'instructions',
    'refusal',
    'description',
    'definition',
    'stop',
  ],
  ...['reasoning', 'reasoning_content', 'summary', 'encrypted_content', 'signature', 'thinking'],
])
/** Keys of JSON schemas, in which only references are ever fetched. */
const SCHEMA_KEYS = new Set(['parameters', 'schema', 'guided_json', 'structured_outputs', 'json_schema'])
const REFERENCE_KEYS = new Set(['$ref', '$dynamicRef', '$recursiveRef'])
const MAX_DEPTH = 64

/**
 * Body of a chat completion that may be sent to a model server.
 * @throws BadRequestError for a part or a tool of an unknown type, and for any URL that isn't a data URL.
 */
export function relayableCompletion(request: CompletionRequest): Json {
  const { messages, tools, ...rest } = request
  requireKnownTools(tools)
  refuseUrls({ tools, ...rest })
  return {
    ...rest,
    ...(tools === undefined ? {} : { tools }),
    messages: messages.map((message, index) => rebuildMessage(message, MESSAGE_KEYS, CHAT_PARTS, `messages.${index}`)),
  }
}

/** Body of a Responses API request that may be sent to a model server. @throws the errors of `relayableCompletion`. */
export function relayableResponse(request: ResponseRequest): Json {
  const { input, tools, ...rest } = request
  requireKnownTools(tools)
  refuseUrls({ tools, ...rest })
  return {
    ...rest,
    ...(tools === undefined ? {} : { tools }),
    input: typeof input === 'string' ? input : input.map((item, index) => rebuildItem(item, `input.${index}`)),
  }
}

/** Any other relayed body, whose `input` is text. @throws BadRequestError for a URL in another field. */
export function relayableOther<Body extends Json>(body: Body): Body {
  refuseUrls(body)
  return body
}

function rebuildItem(item: Json, path: string): Json {
  const type = typeof item.type === 'string' ? item.type : 'message'
  const keys = Object.hasOwn(ITEM_KEYS, type) ? ITEM_KEYS[type] : undefined
  if (keys === undefined) {
    throw refusal(`${path}.type`, `an item of the type "${cutText(type, 40)}" cannot be relayed`, 'item_not_supported')
  }
  return rebuildMessage(item, keys, RESPONSE_PARTS, path)
}

function rebuildMessage(message: Json, keys: string[], parts: Record<string, Fields>, path: string): Json {
  const rebuilt: Json = {}
  for (const key of keys) {
    if (message[key] === undefined) continue
    const value = message[key]
    if (key === 'content' || key === 'output' || key === 'summary') {
      rebuilt[key] = rebuildContent(value, parts, `${path}.${key}`)
    } else {
      refuseUrls({ [key]: value }, path)
      rebuilt[key] = value
    }
  }
  return rebuilt
}

function rebuildContent(content: unknown, parts: Record<string, Fields>, path: string, depth = 0): unknown {
  if (content === null || typeof content === 'string') return content
  if (!Array.isArray(content) || depth > 2) throw refusal(path, 'must be a text or a list of parts', TYPE_CODE)
  return content.map((part: unknown, index) => {
    const type = isJson(part) && typeof part.type === 'string' ? part.type : ''
    const fields = Object.hasOwn(parts, type) ? parts[type] : undefined
    if (!isJson(part) || fields === undefined) {
      throw refusal(`${path}.${index}.type`, `a part of the type "${cutText(type, 40)}" cannot be relayed`, TYPE_CODE)
    }
    return { type, ...rebuildFields(part, fields, { path: `${path}.${index}`, parts, depth }) }
  })
}

interface FieldContext {
  path: string
  parts: Record<string, Fields>
  depth: number
}

function rebuildFields(value: Json, fields: Fields, context: FieldContext): Json {
  const presentFields = Object.entries(fields).filter(([key]) => value[key] !== undefined && value[key] !== null)
  return Object.fromEntries(
    presentFields.map(([key, field]) => [
      key,
      rebuildField(value[key], field, { ...context, path: `${context.path}.${key}` }),
    ]),
  )
}

function rebuildField(value: unknown, field: Field, context: FieldContext): unknown {
  const { path, parts, depth } = context
  if (field === 'parts') return rebuildContent(value, parts, path, depth + 1)
  if (field === 'picture') {
    return isJson(value)
      ? rebuildFields(value, { url: 'dataUrl', detail: 'text' }, context)
      : rebuildField(value, 'dataUrl', context)
  }
  if (typeof field === 'object') {
    if (isJson(value)) return rebuildFields(value, field, context)
    throw refusal(path, 'must be an object', TYPE_CODE)
  }
  if (typeof value !== 'string') throw refusal(path, 'must be a string', TYPE_CODE)
  const isAllowed = field === 'text' || value.startsWith('data:') || (field === 'base64' && !value.includes(':'))
  if (!isAllowed) throw refusal(path, 'send pictures and files as data URLs; addresses are not fetched', URL_CODE)
  return value
}

function requireKnownTools(tools: unknown[] | null | undefined): void {
  for (const [index, tool] of (tools ?? []).entries()) {
    const type = isJson(tool) ? (tool.type ?? 'function') : null
    if (typeof type === 'string' && TOOL_TYPES.has(type)) continue
    throw refusal(
      `tools.${index}.type`,
      'only tools of the types function and custom are relayed',
      'tool_not_supported',
    )
  }
}

/** @throws BadRequestError when a string that isn't text for the model is a URL. */
function refuseUrls(value: unknown, path = '', depth = 0): void {
  if (depth > MAX_DEPTH) throw refusal(path, 'is nested too deeply', TYPE_CODE)
  if (!Array.isArray(value) && !isJson(value)) return
  for (const [key, child] of Object.entries(value)) {
    const childPath = path === '' ? key : `${path}.${key}`
    if (typeof child !== 'string') {
      if (SCHEMA_KEYS.has(key)) refuseReferences(child, childPath, depth + 1)
      // A list of texts, such as `stop` or the `input` of embeddings.
      else if (!(TEXT_KEYS.has(key) && isTextList(child))) refuseUrls(child, childPath, depth + 1)
    } else if (!TEXT_KEYS.has(key) && (isUrl(child) || (isUrlKey(key) && !child.startsWith('data:')))) {
      throw refusal(childPath, 'addresses are neither fetched nor relayed', URL_CODE)
    }
  }
}

/** @throws BadRequestError when a JSON schema refers to something outside itself. */
function refuseReferences(schema: unknown, path: string, depth: number): void {
  if (depth > MAX_DEPTH) throw refusal(path, 'is nested too deeply', TYPE_CODE)
  if (!Array.isArray(schema) && !isJson(schema)) return
  for (const [key, child] of Object.entries(schema)) {
    if (typeof child !== 'string') refuseReferences(child, `${path}.${key}`, depth + 1)
    else if (REFERENCE_KEYS.has(key) && !child.startsWith('#')) {
      throw refusal(`${path}.${key}`, 'a schema may only refer to itself', URL_CODE)
    }
  }
}

const isTextList = (value: unknown) => Array.isArray(value) && value.every((element) => typeof element === 'string')
const URL_START = /^(?:[a-z][a-z\d+.-]{0,30}:)?[/\\]{2}|^(?:https?|ftp|file|s3|gs):/i
const isUrl = (value: string) => URL_START.test(value.trimStart().slice(0, 200))
const isUrlKey = (key: string) => /(?:^|_)ur[li]s?$/i.test(key)
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const URL_CODE = 'picture_address_not_supported'
const TYPE_CODE = 'part_not_supported'

function refusal(path: string, message: string, code: string): BadRequestError {
  return new BadRequestError(`${path}: ${message}.`, { code, errors: [{ path, message }] })
}
