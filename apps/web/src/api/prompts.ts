import type { CreatePrompt, PromptJson, PromptsResponseJson, UpdatePrompt } from '@mira/shared'
import { call } from './client.ts'

const PAGE_SIZE = 200

/** All saved prompts of the person, in the order of their commands. */
export async function fetchPrompts(signal?: AbortSignal): Promise<PromptJson[]> {
  const all: PromptJson[] = []
  let cursor: string | null = null
  do {
    const page: PromptsResponseJson = await call('GET /prompts', { signal, query: { limit: PAGE_SIZE, cursor } })
    all.push(...page.prompts)
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}

/** Saves one. */
export function createPrompt(prompt: CreatePrompt): Promise<PromptJson> {
  return call('POST /prompts', { json: prompt })
}

/** Changes what is given. */
export function updatePrompt(id: string, changes: UpdatePrompt): Promise<PromptJson> {
  return call('PATCH /prompts/:id', { params: { id }, json: changes })
}

/** Deletes one. */
export async function deletePrompt(id: string): Promise<void> {
  await call('DELETE /prompts/:id', { params: { id } })
}
