import { cutText } from '@mira/shared/constants/cut-text'
import { EngineError } from '../../errors.ts'
import { say } from '../../sentences.ts'

/** A call of a tool as a model asked for it. */
export interface ToolCall {
  /** Unique within one answer. */
  id: string
  name: string
  /** JSON as the model wrote it, perhaps broken. */
  argumentsText: string
  /** Fields outside the protocol that the provider wants back, such as Google's `extra_content` with its signature. */
  extra?: Record<string, unknown>
}

/** Assembles the calls of one message from the fragments of a stream. */
interface ToolCallCollector {
  /** Adds the `tool_calls` of one delta. @throws EngineError when they exceed the limits. */
  add(fragments: unknown): void
  readonly count: number
  /** The calls in their order, each with a name. */
  calls(): ToolCall[]
}

interface Fragment {
  index?: unknown
  id?: unknown
  function?: { name?: unknown; arguments?: unknown } | null
}

interface CollectedToolCall {
  index: number | undefined
  id: string
  name: string
  argumentsText: string
  extra: Record<string, unknown>
}

/** True for a call with the empty arguments that some servers send before the real ones. */
const isPlaceholder = ({ argumentsText }: CollectedToolCall): boolean => argumentsText.trim() === '{}'

const PROTOCOL_FIELDS = new Set(['index', 'id', 'type', 'function', 'name', 'arguments'])

const MAX_CALLS = 64
const MAX_CHARACTERS = 200_000
/** Servers refuse longer names when they're sent back. */
const MAX_NAME_CHARACTERS = 64

/**
 * Creates a collector that copes with the differences between servers: a call may arrive whole or in fragments, with or
 * without an index or id, with one index for all calls, with its name in every fragment, with its arguments as text or object.
 */
export function createToolCallCollector(newId: (rawId: string) => string): ToolCallCollector {
  const collected: CollectedToolCall[] = []
  let characters = 0

  /** The call that a fragment continues; undefined when it begins one. */
  const findContinuedCall = (
    { index, id, name }: Pick<CollectedToolCall, 'index' | 'id' | 'name'>,
    replacesPlaceholder: boolean,
  ): CollectedToolCall | undefined => {
    const existingCall =
      index !== undefined
        ? collected.findLast((call) => call.index === index)
        : ((id !== '' ? collected.findLast((call) => call.id === id) : undefined) ?? collected.at(-1))
    if (!existingCall) return undefined
    const hasOtherId = id !== '' && existingCall.id !== '' && id !== existingCall.id
    if (id !== '' && id === existingCall.id) return existingCall
    // Some servers send an index, and a different id with each fragment of a call. So if the fragment or the call so far has no
    // name, the same index means the same call.
    if (name === '' || existingCall.name === '') return index === undefined && hasOtherId ? undefined : existingCall
    if (hasOtherId || name !== existingCall.name) return undefined
    if (replacesPlaceholder && index !== undefined && isPlaceholder(existingCall)) return existingCall
    return isWhole(existingCall.argumentsText) ? undefined : existingCall
  }

  const addFragment = (fragment: Fragment) => {
    const { index: rawIndex, id: fragmentId, function: functionDelta } = fragment
    const index = typeof rawIndex === 'number' ? rawIndex : undefined
    const id = typeof fragmentId === 'string' ? fragmentId : ''
    const name = typeof functionDelta?.name === 'string' ? withoutTokens(functionDelta.name) : ''
    const argumentsText = argumentsOf(functionDelta?.arguments)
    characters += name.length + argumentsText.length
    const hasArguments = /^\s*\{\s*[^\s}]/.test(argumentsText)
    let call = findContinuedCall({ index, id, name }, hasArguments)
    if (!call) {
      call = { index, id, name: '', argumentsText: '', extra: {} }
      collected.push(call)
    }
    if (collected.length > MAX_CALLS || characters > MAX_CHARACTERS) {
      throw new EngineError(say('tools_too_many', {}), { code: 'too_many_tool_calls' })
    }
    call.id ||= id
    for (const [field, value] of Object.entries(fragment)) {
      if (!PROTOCOL_FIELDS.has(field) && value !== null) call.extra[field] = value
    }
    // A name arrives whole; some servers repeat it with every fragment.
    call.name ||= name
    if (hasArguments && isPlaceholder(call)) call.argumentsText = ''
    // Some servers repeat the whole call at its end.
    if (argumentsText !== call.argumentsText || !isWhole(argumentsText)) call.argumentsText += argumentsText
  }

  return {
    add(fragments) {
      if (!Array.isArray(fragments)) return
      for (const fragment of fragments) if (typeof fragment === 'object' && fragment !== null) addFragment(fragment)
    },
    get count() {
      return collected.length
    },
    calls: () =>
      collected
        .filter(({ name }) => name !== '')
        .map(({ id, name, argumentsText, extra }) => ({
          id: newId(id),
          name: cutText(name, MAX_NAME_CHARACTERS),
          argumentsText: plainArguments(argumentsText),
          ...(Object.keys(extra).length > 0 ? { extra } : {}),
        })),
  }
}

/** Generator of call ids that are unique within an answer; keeps the model's own id if it's unused. */
export function createCallIds(): (rawId: string) => string {
  const usedIds = new Set<string>()
  return (rawId) => {
    let id = rawId
    // Nine letters and digits, as the strictest server requires.
    for (let index = usedIds.size + 1; id === '' || usedIds.has(id); index++)
      id = `call${String(index).padStart(5, '0')}`
    usedIds.add(id)
    return id
  }
}

/** Arguments to send back: broken JSON would break the model's chat template, which parses them. */
export function readableArguments(argumentsText: string): string {
  return isWhole(argumentsText) ? argumentsText : '{}'
}

/** Removes special tokens of gpt-oss, which some servers leave after a name: `search<|channel|>commentary`. */
function withoutTokens(name: string): string {
  return (name.split('<|', 1)[0] ?? '').trim()
}

function argumentsOf(rawArguments: unknown): string {
  if (typeof rawArguments === 'string') return rawArguments
  return rawArguments === undefined || rawArguments === null ? '' : JSON.stringify(rawArguments)
}

/** Turns missing arguments into an empty object, and unwraps an object that was encoded twice. */
function plainArguments(text: string): string {
  if (text.trim() === '') return '{}'
  const value = parse(text)
  return typeof value === 'string' && isWhole(value) ? value : text
}

/** True when a text is a complete JSON object. */
function isWhole(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false
  const value = parse(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
