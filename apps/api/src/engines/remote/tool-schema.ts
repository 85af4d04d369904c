import type OpenAI from 'openai'
import type { Tool } from '../chat-engine.ts'

type Schema = Record<string, unknown>

const MAX_SCHEMA_DEPTH = 20
/** Keywords that say nothing about a value, and that Google refuses. */
const ANNOTATIONS = new Set(['$schema', '$id', '$comment'])
/** Keywords that OpenAI and Anthropic refuse at the top of a tool's schema. */
const TOP_LEVEL_CHOICES = ['anyOf', 'oneOf', 'allOf'] as const
const REFUSED_AT_TOP = new Set<string>([...TOP_LEVEL_CHOICES, 'not', 'enum', 'const', 'if', 'then', 'else'])
/** Keywords whose value maps names to schemas. */
const SCHEMA_MAPS = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'])
/** Keywords whose value is a list of schemas. */
const SCHEMA_LISTS = new Set<string>([...TOP_LEVEL_CHOICES, 'prefixItems'])
/** Keywords whose value is a schema or a boolean. Booleans are kept, since providers accept them for these keywords. */
const SUBSCHEMAS = new Set([
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'additionalItems', 'unevaluatedItems'],
  ...['contains', 'not', 'if', 'then', 'else'],
])

/** A tool in the form of chat requests, with a schema that strict providers accept. */
export function asWireTool({ name, description, parameters, strict }: Tool): OpenAI.ChatCompletionTool {
  const schema = asObjectSchema(parameters)
  return {
    type: 'function',
    function: { name, description, parameters: schema, ...(strict === undefined ? {} : { strict }) },
  }
}

/**
 * The schema of a tool's arguments as every provider accepts it: an object with `properties`, arrays with `items`, no
 * choices between whole objects. A single tool that lacks one of these makes OpenAI refuse the whole request.
 */
function asObjectSchema(parameters: unknown): Schema {
  const schema = isRecord(parameters) ? parameters : {}
  const choices = TOP_LEVEL_CHOICES.flatMap((keyword) => {
    const options = schema[keyword]
    return Array.isArray(options) ? options.filter(isRecord).map((option) => ({ keyword, option })) : []
  })
  const merged: Schema = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !REFUSED_AT_TOP.has(keyword)))
  const properties = Object.assign(
    {},
    ...choices.map(({ option }) => (isRecord(option.properties) ? option.properties : {})),
    isRecord(schema.properties) ? schema.properties : {},
  ) as Schema
  // With anyOf and oneOf, a property that one choice requires may be missing in another, so it becomes optional.
  const required = [
    ...namesIn(schema.required),
    ...choices.flatMap(({ keyword, option }) => (keyword === 'allOf' ? namesIn(option.required) : [])),
  ].filter((name) => Object.hasOwn(properties, name))
  const { required: _given, ...rest } = merged
  return {
    ...(plainSchema(rest, 0) as Schema),
    type: 'object',
    properties: plainMap(properties, 0),
    ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
  }
}

function plainSchema(schema: unknown, depth: number): unknown {
  // True and false are whole schemas in JSON Schema, and unknown to most providers.
  if (!isRecord(schema) || depth > MAX_SCHEMA_DEPTH) return {}
  const plain: Schema = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (ANNOTATIONS.has(keyword) || value === null) continue
    if (SCHEMA_MAPS.has(keyword)) plain[keyword] = plainMap(value, depth + 1)
    else if (keyword === 'items') plain.items = plainSchema(Array.isArray(value) ? value[0] : value, depth + 1)
    else if (SUBSCHEMAS.has(keyword)) plain[keyword] = isRecord(value) ? plainSchema(value, depth + 1) : value
    else if (SCHEMA_LISTS.has(keyword)) {
      if (Array.isArray(value)) plain[keyword] = value.map((option) => plainSchema(option, depth + 1))
    } else if (keyword === 'required') {
      const names = namesIn(value)
      if (names.length > 0) plain.required = names
    } else plain[keyword] = value
  }
  const types = [plain.type].flat()
  if (types.includes('array') && plain.items === undefined) plain.items = {}
  if (types.includes('object') && plain.properties === undefined) plain.properties = {}
  return plain
}

function plainMap(schemas: unknown, depth: number): Schema {
  if (!isRecord(schemas)) return {}
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, plainSchema(schema, depth)]))
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The tools that a refusal names, by their name or by their index in the request (`tools[3]`, `tools.3.`, Google's
 * `function_declarations[3]`); none when it is about all of them.
 */
export function toolsNamedIn(text: string, tools: Tool[]): Tool[] {
  const position = /function_declarations\[(\d+)\]/i.exec(text) ?? /\btools(?:\[(\d+)\]|\.(\d+)\b)/i.exec(text)
  const tool = position ? tools[Number(position[1] ?? position[2])] : undefined
  if (tool !== undefined) return [tool]
  const words = new Set(text.match(/[\w-]+/g) ?? [])
  return tools.filter(
    ({ name }) => (words.has(name) && /[_-]/.test(name)) || text.includes(`'${name}'`) || text.includes(`"${name}"`),
  )
}
