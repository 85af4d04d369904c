import type { Config } from '../../../config.ts'
import type { RemindersService } from '../../automation/index.ts'
import type { ChatService } from '../../chat/index.ts'
import type { MediaService, NotesService, UploadService, WebFiles } from '../../library/index.ts'
import type { MemoryService, PassagesService } from '../../search/index.ts'
import { createMemoryForPrograms } from './memory.service.ts'

/** Dependencies of MCP access to a user's memory. */
export interface McpTools {
  config: Config
  memory: MemoryService
  media: MediaService
  chat: ChatService
  uploads: UploadService
  webFiles: WebFiles
  notes: NotesService
  reminders: RemindersService
  passages: PassagesService
}

/** Builds what the Model Context Protocol serves. */
export function buildMcp(tools: McpTools) {
  const { config, memory, media, chat, uploads, webFiles, notes, reminders, passages } = tools
  const memoryForPrograms = createMemoryForPrograms({
    search: memory.search,
    passage: passages.one,
    item: media.detail,
    list: media.list,
    answer: chat.answerProgram,
    uploads,
    addNote: notes.add,
    webFiles,
    remind: reminders.create,
    addressOf: (path) => `${config.publicUrl ?? ''}${path}`,
  })
  return { memoryForPrograms }
}
