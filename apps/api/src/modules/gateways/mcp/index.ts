import { VERSION } from '../../../config.ts'
import type { Context } from '../../../context-type.ts'
import { createSafeFetcher } from '../../../platform/net/safe-fetcher.ts'
import type { PassagesService } from '../../search/index.ts'
import { createMemoryForPrograms } from './memory-service.ts'

/** Dependencies of MCP access to a user's memory. */
export interface McpTools
  extends Pick<Context, 'config' | 'memory' | 'media' | 'chat' | 'uploads' | 'notes' | 'reminders'> {
  passages: PassagesService
}

/** Builds what the Model Context Protocol serves. */
export function buildMcp(tools: McpTools): Pick<Context, 'memoryForPrograms'> & { close(): Promise<void> } {
  const { config, memory, media, chat, uploads, notes, reminders, passages } = tools
  const fetcher = createSafeFetcher({
    allowedHosts: config.web.allowedHosts,
    userAgent: `Mira/${VERSION} (personal assistant)`,
  })
  const memoryForPrograms = createMemoryForPrograms({
    search: memory.search,
    passage: passages.one,
    item: media.detail,
    list: media.list,
    answer: chat.answerProgram,
    uploads,
    addNote: notes.add,
    fetcher,
    remind: reminders.create,
    addressOf: (path) => `${config.publicUrl ?? ''}${path}`,
  })
  return { memoryForPrograms, close: () => fetcher.close() }
}
