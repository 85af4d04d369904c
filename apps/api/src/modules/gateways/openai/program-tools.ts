import { z } from 'zod'
import type { ProgramTools, ToolCallResult } from '../../../engines/chat-engine.ts'
import { BadRequestError } from '../../../errors.ts'

const MAX_TOOLS = 128
const functionSchema = z.looseObject({
  name: z.string().regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, underscores or dashes'),
  description: z.string().nullish(),
  parameters: z
    .looseObject({
      type: z.literal('object', { error: 'must be "object"' }).nullish(),
      properties: z.record(z.string(), z.unknown(), { error: 'must be an object' }).nullish(),
      required: z.array(z.string(), { error: 'must be a list of names' }).nullish(),
    })
    .nullish(),
  strict: z.boolean().nullish(),
})
/** A choice of the protocol: a word, the name of one tool, or which of them are allowed. */
const choiceSchema = z.union([
  z.enum(['auto', 'none', 'required']),
  z.looseObject({
    type: z.string().nullish(),
    name: z.string().nullish(),
    mode: z.enum(['auto', 'required']).nullish(),
    tools: z.array(z.unknown()).nullish(),
    function: z.looseObject({ name: z.string() }).nullish(),
    allowed_tools: z
      .looseObject({ mode: z.enum(['auto', 'required']).nullish(), tools: z.array(z.unknown()).nullish() })
      .nullish(),
  }),
])

/** Tool definitions of a request, in the format of either API. */
export interface SentTools {
  tools?: unknown[] | null | undefined
  tool_choice?: unknown
  parallel_tool_calls?: boolean | null | undefined
}

/** The program's tools that an answer may end with; those of other kinds than functions are left out. */
export type OfferedTools = Omit<ProgramTools, 'turns'>

/** One assistant's message of a program's, with what its calls gave. */
export type SpokenTurn = { role: 'user' | 'assistant'; content: string; calls?: ToolCallResult[] }

/** @throws BadRequestError for tools whose description is broken, and for a choice that cannot be met. */
export function readTools({ tools: sentTools, tool_choice, parallel_tool_calls }: SentTools): OfferedTools {
  if ((sentTools?.length ?? 0) > MAX_TOOLS) throw broken('tools', `must be at most ${MAX_TOOLS}`)
  const tools = (sentTools ?? []).flatMap((tool, index) =>
    kindOf(tool) === 'function' ? [readFunction(tool, index)] : [],
  )
  const twice = tools.find(({ name }, index) => tools.findIndex((tool) => tool.name === name) < index)
  if (twice !== undefined) throw broken('tools', `"${twice.name}" is there twice`)
  const { isDemanded, names } = readChoice(tool_choice)
  const offered = tools.filter(({ name }) => names === null || names.includes(name))
  const missing = names?.find((name) => !tools.some((tool) => tool.name === name))
  if (missing !== undefined) throw broken('tool_choice', `"${missing.slice(0, 64)}" is none of the tools`)
  if (isDemanded && offered.length === 0) throw broken('tool_choice', 'there are no tools to choose from')
  return { tools: offered, isDemanded, maySeveral: parallel_tool_calls !== false }
}

/** True when the model has to call a tool of the program. */
export function demandsTool(choice: unknown): boolean {
  return readChoice(choice).isDemanded
}

function readFunction(tool: unknown, at: number): OfferedTools['tools'][number] {
  // the older half of the protocol has it in a field of its own
  const nested = typeof tool === 'object' && tool !== null && 'function' in tool
  const read = functionSchema.safeParse(nested ? tool.function : tool)
  if (!read.success) {
    const [issue] = read.error.issues
    const path = [...(nested ? ['function'] : []), ...(issue?.path ?? [])].map((step) => `.${String(step)}`).join('')
    throw broken(`tools.${at}${path}`, issue?.message ?? 'cannot be read')
  }
  const { name, description, parameters, strict } = read.data
  return {
    name,
    description: description ?? '',
    parameters: { ...parameters, type: 'object', properties: parameters?.properties ?? {} },
    ...(strict ? { strict } : {}),
  }
}

/** @returns the names of the only tools that may be called; null for all. */
function readChoice(choiceInput: unknown): { isDemanded: boolean; names: string[] | null } {
  if (choiceInput === undefined || choiceInput === null) return { isDemanded: false, names: null }
  const parsed = choiceSchema.safeParse(choiceInput)
  if (!parsed.success) throw broken('tool_choice', 'must be "auto", "none", "required", a function or allowed tools')
  const choice = parsed.data
  if (choice === 'none') return { isDemanded: false, names: [] }
  if (typeof choice === 'string') return { isDemanded: choice === 'required', names: null }
  if (choice.type === 'allowed_tools') {
    const { mode, tools } = choice.allowed_tools ?? choice
    const names = (tools ?? []).flatMap((tool) => (kindOf(tool) === 'function' ? [nameOf(tool)] : []))
    return { isDemanded: mode === 'required', names }
  }
  if (choice.type === 'function') return { isDemanded: true, names: [nameOf(choice)] }
  throw broken('tool_choice', `"${(choice.type ?? '').slice(0, 40)}" is not supported by this model`)
}

const kindOf = (tool: unknown): unknown =>
  typeof tool === 'object' && tool !== null && 'type' in tool ? tool.type : undefined

function nameOf(tool: unknown): string {
  const { name, function: nested } = tool as { name?: unknown; function?: { name?: unknown } }
  return String(nested?.name ?? name ?? '')
}

function broken(path: string, message: string): BadRequestError {
  return new BadRequestError(`${path}: ${message}.`, { code: 'invalid_tools', errors: [{ path, message }] })
}
