import type { PromptJson, PromptsResponseJson } from '@mira/shared'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

const PAGE_SIZE = 200

/** All saved prompts of the person, in the order of their commands. */
async function fetchPrompts(signal?: AbortSignal): Promise<PromptJson[]> {
  const all: PromptJson[] = []
  let cursor: string | null = null
  do {
    const page: PromptsResponseJson = await call('GET /prompts', { signal, query: { limit: PAGE_SIZE, cursor } })
    all.push(...page.prompts)
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}

/** The saved prompts of the person, for the settings and for the composer. */
export const promptsQuery = queryOptions({ queryKey: ['prompts'], queryFn: ({ signal }) => fetchPrompts(signal) })
