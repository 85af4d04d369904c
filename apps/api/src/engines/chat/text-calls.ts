import { createCodeReader } from '../../platform/lib/thinking.ts'
import type { Tool } from '../chat-engine.ts'

/** A call that a model wrote into its text. */
export interface TextCall {
  name: string
  /** JSON. */
  argumentsText: string
}

/** Extracts tool calls from a model's streamed text. */
export interface TextCallReader {
  /** Returns the text to show so far. */
  add(text: string): string
  /** Returns the remaining text to show. */
  end(): string
  calls(): TextCall[]
}

/** Delimiters of calls in the chat templates of open models; a null `closing` is the end of the message. */
const DELIMITERS: readonly { opening: string; closing: string | null }[] = [
  { opening: '<tool_call>', closing: '</tool_call>' },
  { opening: '<function_call>', closing: '</function_call>' },
  { opening: '<function=', closing: '</function>' },
  { opening: '<|tool_call|>', closing: null },
  { opening: '<|python_tag|>', closing: null },
  { opening: '[TOOL_CALLS]', closing: null },
  { opening: '<｜tool▁calls▁begin｜>', closing: '<｜tool▁calls▁end｜>' },
  { opening: '```tool_call', closing: '\n```' },
  { opening: '```tool_code', closing: '\n```' },
]
const ANY_OPENING = new RegExp(DELIMITERS.map(({ opening }) => opening.replace(/[|[]/g, '\\$&')).join('|'))
const MAX_OPENING_CHARACTERS = 24
const MAX_CALL_CHARACTERS = 100_000
/** Beginning of an answer that is nothing but a call, without delimiters. */
const BARE_CALL = /^\s*\{\s*"(?:name|function|tool|type)"\s*:/
const MAYBE_BARE_CALL = /^\s*(?:\{\s*(?:"[a-z]{0,8}"?\s*:?)?)?$/

/** @param tools the tools offered to the model; calls of other tools are removed from the text and ignored. */
export function createTextCallReader(tools: readonly Pick<Tool, 'name' | 'parameters'>[]): TextCallReader {
  const offered = new Map(tools.map(({ name, parameters }) => [name, parameters]))
  const calls: TextCall[] = []
  const code = createCodeReader()
  /** True until any text is shown. */
  let isBlank = true
  let pending = ''
  let openDelimiter: (typeof DELIMITERS)[number] | null = null

  /** Removes characters from the start of the pending text. */
  const shift = (length: number): string => {
    const text = pending.slice(0, length)
    pending = pending.slice(length)
    return text
  }

  const show = (text: string): string => {
    isBlank &&= text.trim() === ''
    code.add(text)
    return text
  }

  /** Reads calls from a delimited text; returns the text to show when it contains none. */
  const takeCalls = (text: string): string => {
    const read = readCalls(text, (name, argument) => {
      const { properties } = (offered.get(name) ?? {}) as { properties?: Record<string, unknown> }
      return typesOf(properties?.[argument])
    })
    if (read.length === 0) return show(text)
    calls.push(...read.filter(({ name }) => offered.has(name)))
    return ''
  }

  const mayBeBareCall = () =>
    isBlank &&
    offered.size > 0 &&
    (MAYBE_BARE_CALL.test(pending) || (BARE_CALL.test(pending) && pending.length <= MAX_CALL_CHARACTERS))

  const read = (): string => {
    let shown = ''
    while (true) {
      if (openDelimiter !== null) {
        const end =
          openDelimiter.closing === null ? -1 : pending.indexOf(openDelimiter.closing, openDelimiter.opening.length)
        if (end === -1 && pending.length <= MAX_CALL_CHARACTERS) return shown
        const whole = shift(end === -1 ? pending.length : end + (openDelimiter.closing?.length ?? 0))
        openDelimiter = null
        if (end === -1) return shown + show(whole)
        shown += takeCalls(whole)
      }
      if (mayBeBareCall()) return shown
      const opening = ANY_OPENING.exec(pending)
      if (opening === null) return shown + show(shift(pending.length - partialOpening(pending)))
      shown += show(shift(opening.index))
      if (code.isOpen()) shown += show(shift(opening[0].length))
      else openDelimiter = DELIMITERS.find((delimiter) => delimiter.opening === opening[0]) ?? null
    }
  }

  return {
    add(text) {
      pending += text
      return read()
    },
    end() {
      const text = pending
      pending = ''
      return text === ''
        ? ''
        : openDelimiter !== null || (isBlank && BARE_CALL.test(text))
          ? takeCalls(text)
          : show(text)
    },
    calls: () => calls,
  }
}

/** Number of characters at the end that may begin a delimiter. */
function partialOpening(text: string): number {
  for (let length = Math.min(MAX_OPENING_CHARACTERS, text.length); length > 0; length--) {
    const tail = text.slice(-length)
    if (DELIMITERS.some(({ opening }) => opening.startsWith(tail))) return length
  }
  return 0
}

/** JSON types of a tool's argument; empty when unknown. */
type ArgumentTypes = (tool: string, argument: string) => Set<string>

const MAX_SCHEMA_DEPTH = 10

/** JSON types that a schema allows, with integers as numbers. */
function typesOf(schema: unknown, depth = 1): Set<string> {
  if (typeof schema !== 'object' || schema === null || depth > MAX_SCHEMA_DEPTH) return new Set()
  const { type, anyOf, oneOf, enum: values, const: value } = schema as Record<string, unknown>
  const types = [type].flat().filter((name) => typeof name === 'string')
  const schemas = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const examples =
    types.length > 0 ? [] : [...(Array.isArray(values) ? values : []), ...(value === undefined ? [] : [value])]
  return new Set([
    ...types.map((name) => (name === 'integer' ? 'number' : name)),
    ...examples.map(typeOf),
    ...schemas.flatMap((alternative) => [...typesOf(alternative, depth + 1)]),
  ])
}

/** JSON type of a value. */
function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Calls in a delimited text, in the formats of Qwen, Hermes, Mistral, Llama, DeepSeek and GLM. */
function readCalls(text: string, types: ArgumentTypes): TextCall[] {
  const body = text
    .replace(/^(?:<tool_call>|<function_call>|<\|tool_call\|>|<\|python_tag\|>|\[TOOL_CALLS\]|```tool_c[a-z]{3})/, '')
    .replace(/(?:<\/tool_call>|<\/function_call>|<\|e[a-z]{2}_id\|>|\n```)$/, '')
    .trim()
  const openings = [...body.matchAll(/<function=([\w.-]{1,128})>/g)]
  if (openings.length > 0) {
    return openings.map((match, index) => {
      const inner =
        body.slice(match.index + match[0].length, openings[index + 1]?.index).split('</function>', 1)[0] ?? ''
      const name = match[1] ?? ''
      return { name, argumentsText: argumentsIn(inner, (argument) => types(name, argument)) }
    })
  }
  if (body.includes('<｜tool▁sep｜>')) {
    return body.split('<｜tool▁call▁begin｜>').flatMap((callText) => {
      const [, rest = ''] = callText.split('<｜tool▁sep｜>')
      const name = /^\s*([\w.-]{1,128})/.exec(rest)?.[1]
      return name === undefined ? [] : [{ name, argumentsText: objectIn(rest) }]
    })
  }
  const fromJson = jsonCalls(body)
  if (fromJson.length > 0) return fromJson
  // Mistral's newer format is the name followed by the arguments. GLM's format has tags around keys and values.
  const nameMatch = /^([\w.-]{1,128})\s*(?:\[ARGS\]\s*)?(?=[{<]|$)/.exec(body)
  if (nameMatch === null || !/[{]|<arg_key>/.test(body)) return []
  const name = nameMatch[1] ?? ''
  const hasTags = body.includes('<arg_key>')
  return [{ name, argumentsText: hasTags ? taggedArguments(body, (key) => types(name, key)) : objectIn(body) }]
}

/** Calls in JSON: a single call, a list of calls, or one call per line. */
function jsonCalls(text: string): TextCall[] {
  const whole = parse(text)
  const values = whole === undefined ? text.split('\n').map(parse) : [whole].flat()
  return values.flatMap((value) => {
    const list = typeof value === 'object' && value !== null && 'tool_calls' in value ? value.tool_calls : undefined
    return (Array.isArray(list) ? list : [value]).flatMap(jsonCall)
  })
}

function jsonCall(value: unknown): TextCall[] {
  if (typeof value !== 'object' || value === null) return []
  const { function: nested } = value as { function?: unknown }
  const call = (typeof nested === 'object' && nested !== null ? nested : value) as Record<string, unknown>
  const name = call.name ?? call.tool ?? (typeof nested === 'string' ? nested : undefined)
  const input = call.arguments ?? call.parameters ?? call.args
  if (typeof name !== 'string' || input === undefined) return []
  return [{ name, argumentsText: typeof input === 'string' ? input : JSON.stringify(input) }]
}

function argumentsIn(text: string, typesOfArgument: (argument: string) => Set<string>): string {
  const pairs = text.split('<parameter=').slice(1)
  if (pairs.length === 0) return objectIn(text)
  return JSON.stringify(
    Object.fromEntries(
      pairs.map((pair) => {
        const end = pair.indexOf('>')
        const name = pair.slice(0, end)
        return [name, argumentOf(pair.slice(end + 1).split('</parameter>', 1)[0] ?? '', typesOfArgument(name))]
      }),
    ),
  )
}

function taggedArguments(text: string, typesOfArgument: (argument: string) => Set<string>): string {
  const pairs = text.split('<arg_key>').slice(1)
  const valueIn = (pair: string) => pair.split('<arg_value>')[1]?.split('</arg_value>', 1)[0] ?? ''
  return JSON.stringify(
    Object.fromEntries(
      pairs.map((pair) => {
        const name = pair.split('</arg_key>', 1)[0]?.trim() ?? ''
        return [name, argumentOf(valueIn(pair), typesOfArgument(name))]
      }),
    ),
  )
}

/** Parses an argument as JSON. Keeps the text (a year, or the word true) if the schema allows a string but not the parsed type. */
function argumentOf(text: string, types: Set<string>): unknown {
  const value = parse(text.trim())
  const isText = value === undefined || (types.has('string') && !types.has(typeOf(value)))
  return isText ? text.trim() : value
}

/** The JSON object in a text; an empty one when there's none. */
function objectIn(text: string): string {
  const object = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  return typeof parse(object) === 'object' ? object : '{}'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
