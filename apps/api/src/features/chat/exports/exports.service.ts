import type { ChatExportFormat, ChatExportJson, ExportedMessage } from '@mira/shared'
import { withoutSetupIn } from '@mira/shared'
import { noSession } from '../missing.ts'
import { presentMessage, presentSession } from '../sessions/present.ts'
import type { SessionsStore } from '../sessions/sessions.store.ts'
import { createMarkdown, type MarkdownReader } from './conversation-markdown.ts'
import type { ExportedRow, ExportsStore } from './exports.store.ts'

/** A file that is written while it is read. */
export interface ExportedFile {
  name: string
  contentType: string
  text: AsyncIterable<string>
}

export interface ExportsDeps {
  chats: Pick<SessionsStore, 'findSession'>
  store: ExportsStore
  assistantName(): string
}

export type ExportsService = ReturnType<typeof createExportsService>

const NAME_MAX_CHARACTERS = 80
/** Characters with a meaning for file systems or shells, and those that change the writing direction. */
const unsafeInNames = /[\\/:*?"<>|%~$`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu

/** Conversations as files, however long they are. */
export function createExportsService({ chats, store, assistantName }: ExportsDeps) {
  return {
    /** Opens a conversation as a file. @throws NotFoundError when it is not the person's. */
    async open(
      userId: string,
      sessionId: string,
      format: ChatExportFormat,
      reader: MarkdownReader,
    ): Promise<ExportedFile> {
      const row = await chats.findSession(userId, sessionId)
      if (row === null) throw noSession()
      const currentMessageId = await store.currentMessageId(sessionId)
      const { snippet: _, ...session } = presentSession(row)
      const name = fileNameOf(session.session_name)
      const shown = (one: ExportedRow): ExportedMessage =>
        reader.mayKnowSetup ? exportMessage(one) : withoutSetupIn(exportMessage(one))

      if (format === 'markdown') {
        const markdown = createMarkdown(reader, assistantName())
        const text = async function* () {
          yield markdown.head(session.session_name, new Date())
          if (currentMessageId === null) return
          for await (const rows of store.branch(currentMessageId)) {
            yield rows.map((one) => markdown.message(shown(one))).join('')
          }
        }
        return { name: `${name}.md`, contentType: 'text/markdown; charset=utf-8', text: text() }
      }

      const head: Record<keyof Omit<ChatExportJson, 'messages'>, unknown> = {
        format: 'mira.chat',
        version: 1,
        exported_at: new Date(),
        session,
        current_message_id: currentMessageId,
      }
      const text = async function* () {
        yield `${JSON.stringify(head).slice(0, -1)},"messages":[`
        let between = '\n'
        for await (const rows of store.all(sessionId)) {
          if (rows.length === 0) continue
          yield between + rows.map((one) => JSON.stringify(shown(one))).join(',\n')
          between = ',\n'
        }
        yield '\n]}\n'
      }
      return { name: `${name}.json`, contentType: 'application/json; charset=utf-8', text: text() }
    },
  }
}

function exportMessage(row: ExportedRow): ExportedMessage {
  const { siblings: _, streaming: __, ...message } = presentMessage(row, undefined)
  const media = row.media.map(({ media_id, title, media_type }) => ({ media_id, title, media_type }))
  return { ...message, state: row.state, images: row.images, media }
}

/** A name that every file system takes, without an extension. */
export function fileNameOf(title: string): string {
  const safe = title.replace(unsafeInNames, ' ').replace(/\s+/g, ' ')
  const short = [...safe].slice(0, NAME_MAX_CHARACTERS).join('')
  const bare = short.replace(/^[\s.-]+|[\s.]+$/g, '')
  const isReserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(bare)
  return bare === '' || isReserved ? `conversation${bare && ` ${bare}`}` : bare
}
