type Json = Record<string, unknown>

/** Contents of a delta, or of a whole message. */
interface Delta {
  content: string
  reasoning: string
  toolCalls: unknown
}

/** Fields outside the protocol in which servers send reasoning. */
const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'thinking'] as const
/** Fields that some providers require back with the calls of the same message: reasoning and its signatures. */
const ECHOED_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks'] as const

/** Reads a delta whose content is a text or a list of parts (Mistral: reasoning and text). */
export function readDelta(delta: unknown): Delta {
  const fields = (typeof delta === 'object' && delta !== null ? delta : {}) as Json
  const reasoningText = REASONING_FIELDS.map((field) => fields[field]).find(
    (text) => typeof text === 'string' && text !== '',
  )
  const parts = Array.isArray(fields.content) ? (fields.content as unknown[]) : [fields.content]
  let content = ''
  let reasoning = typeof reasoningText === 'string' ? reasoningText : ''
  for (const part of parts) {
    // Cloudflare sends a token that consists of digits as a number.
    if (typeof part === 'string' || typeof part === 'number') content += part
    else if (typeof part === 'object' && part !== null) {
      const { type, text, thinking, refusal } = part as Json
      const thought = textsIn(thinking)
      if (thought !== '' || type === 'thinking' || type === 'reasoning') reasoning += thought || textsIn(text)
      else content += textsIn(text ?? refusal)
    }
  }
  if (content === '' && typeof fields.refusal === 'string') content = fields.refusal
  const isEmpty = Array.isArray(fields.tool_calls) && fields.tool_calls.length === 0
  return { content, reasoning, toolCalls: isEmpty ? undefined : (fields.tool_calls ?? undefined) }
}

function textsIn(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (!Array.isArray(value)) return ''
  return value.map((part) => textsIn((part as Json | null)?.text ?? part)).join('')
}

/** Collects the fields of a streamed message that are sent back with its calls. */
export function createEcho() {
  const fields: Json = {}
  return {
    add(delta: unknown) {
      for (const field of ECHOED_FIELDS) {
        const value = (delta as Json | null | undefined)?.[field]
        if (typeof value === 'string') fields[field] = `${fields[field] ?? ''}${value}`
        else if (Array.isArray(value)) fields[field] = mergeParts((fields[field] ?? []) as Json[], value as Json[])
      }
    },
    fields: () => fields,
  }
}

/** Joins fragments of the same part: appends texts, and keeps the last value of everything else. */
function mergeParts(parts: Json[], fragments: Json[]): Json[] {
  const merged = [...parts]
  for (const fragment of fragments) {
    const last = merged.at(-1)
    const isSamePart =
      last !== undefined && last.type === fragment.type && last.index === fragment.index && !last.signature
    if (!isSamePart) {
      merged.push({ ...fragment })
      continue
    }
    for (const [field, value] of Object.entries(fragment)) {
      const isText = ['text', 'summary', 'thinking', 'data'].includes(field) && typeof value === 'string'
      if (isText) last[field] = `${last[field] ?? ''}${value}`
      else if (value !== null && value !== '') last[field] = value
    }
  }
  return merged
}

/**
 * Addresses of the pages that Perplexity searched for an answer, in the order of the numbers in its text; empty when a list of
 * that name contains something else.
 */
export function pagesIn(chunk: { citations?: unknown; search_results?: unknown }): string[] {
  const listed = [chunk.citations, chunk.search_results].find((list) => Array.isArray(list) && list.length > 0)
  const urls = ((listed ?? []) as unknown[]).map((page) => {
    const url = typeof page === 'string' ? page : (page as { url?: unknown } | null)?.url
    return typeof url === 'string' ? url : ''
  })
  return urls.some((url) => /^https?:\/\//i.test(url)) ? urls : []
}
