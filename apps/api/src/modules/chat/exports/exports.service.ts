import { type ChatExportFormat, type ChatExportJson, type ExportedMessage, WEB_SOURCE } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { trackCodeAndFormulas } from '../../../platform/lib/code-and-formulas.ts'
import { shortName } from '../../../platform/lib/title-file-name.ts'
import { forUsersIn } from '../../../platform/messages/audience.ts'
import { colonIn } from '../../../platform/messages/texts.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { withoutCodes } from '../conversations/links.ts'
import { conversationNotFound, presentMessage, presentSession } from '../conversations/present.ts'
import type { SessionsStore } from '../conversations/sessions.store.ts'
import { type ExportedRow, findCurrentMessageId, readAllMessages, readBranch } from './exports.store.ts'

/** Reader of an export. */
interface MarkdownReader {
  /** The user's name. */
  name: string
  /** Language of the text around the messages. */
  language: string
  /** IANA name. */
  timeZone: string
  /** True when the user may see server addresses and names of environment variables. */
  mayKnowSetup: boolean
}

interface Words {
  exported(assistant: string, time: string): string
  pictures: string
  attached: string
  agents: string
  sources: string
  interrupted: string
  failed: string
}

const english: Words = {
  exported: (assistant, time) => `A conversation with ${assistant}, exported ${time}`,
  pictures: 'Pictures',
  attached: 'Attached',
  agents: 'Agents',
  sources: 'Sources',
  interrupted: 'Interrupted',
  failed: 'Error',
}
const wordsOf: Record<string, Words> = {
  de: {
    exported: (assistant, time) => `Eine Unterhaltung mit ${assistant}, exportiert ${time}`,
    pictures: 'Bilder',
    attached: 'Angehängt',
    agents: 'Agenten',
    sources: 'Quellen',
    interrupted: 'Unterbrochen',
    failed: 'Fehler',
  },
  es: {
    exported: (assistant, time) => `Una conversación con ${assistant}, exportada ${time}`,
    pictures: 'Imágenes',
    attached: 'Adjuntos',
    agents: 'Agentes',
    sources: 'Fuentes',
    interrupted: 'Interrumpido',
    failed: 'Error',
  },
  fr: {
    exported: (assistant, time) => `Une conversation avec ${assistant}, exportée ${time}`,
    pictures: 'Images',
    attached: 'Joint',
    agents: 'Agents',
    sources: 'Sources',
    interrupted: 'Interrompu',
    failed: 'Erreur',
  },
}

/** Writes a conversation as Markdown, piece by piece, in a form that is also readable without rendering. */
function createMarkdown({ name, language, timeZone }: MarkdownReader, assistant: string) {
  const words = wordsOf[language] ?? english
  const colon = colonIn(language)
  const timeFormat = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone,
  })

  return {
    head(title: string, exportedAt: Date): string {
      const when = `${timeFormat.format(exportedAt)} (${timeZone})`
      return `# ${escapeText(title)}\n\n*${escapeText(words.exported(assistant, when))}*\n`
    },

    message(message: ExportedMessage): string {
      const title = [message.role === 'user' ? name : assistant, timeFormat.format(message.created_at)]
      if (message.model_used !== null) title.push(message.model_used)
      const parts = [`## ${title.map(escapeText).join(' · ')}`]
      if (message.content.trim() !== '') parts.push(closeBlocks(message.content.trimEnd()))
      const pictures = message.images.map((image) => escapeText(image.name))
      if (pictures.length > 0) parts.push(`*${words.pictures}${colon} ${pictures.join(', ')}*`)
      const attached = message.media.map(({ title: itemTitle }) => escapeText(itemTitle))
      if (attached.length > 0) parts.push(`*${words.attached}${colon} ${attached.join(', ')}*`)
      if (message.state === 'interrupted') parts.push(`*[${words.interrupted}]*`)
      if (message.error !== null) parts.push(`*${words.failed}${colon} ${escapeText(message.error)}*`)
      const calls = message.agent_calls.map((call) => {
        const argumentsText = call.arguments === undefined ? '' : ` ${quoteCode(JSON.stringify(call.arguments))}`
        const summary = call.summary ? `${colon} ${escapeText(call.summary)}` : ''
        return `- ${escapeText(call.name)}${argumentsText}${summary}`
      })
      if (calls.length > 0) parts.push(`**${words.agents}**`, calls.join('\n'))
      const sources = message.sources.map(
        ({ n, title: sourceTitle, snippet, media_type, url }) =>
          `${n}. ${escapeText(sourceTitle)}${media_type === WEB_SOURCE ? ` ${linkTo(url)}` : ''}${snippet === '' ? '' : ` – ${escapeText(snippet)}`}`,
      )
      if (sources.length > 0) parts.push(`**${words.sources}**`, sources.join('\n'))
      return `\n${parts.join('\n\n')}\n`
    },
  }
}

/** A text in one line, with its Markdown escaped. */
function escapeText(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>#|]/g, '\\$&')
}

/** Inline code that may contain backticks. */
function quoteCode(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`
}

/** A link whose text is its URL. */
const linkTo = (url: string) => `<${url.replace(/[\s<>\\]/g, encodeURIComponent)}>`

/**
 * A message that doesn't change how the text after it is rendered: closes an unclosed code block, as in an interrupted answer,
 * and has HTML shown as text, as in the chat. Both might swallow everything that follows.
 */
function closeBlocks(content: string): string {
  const structure = trackCodeAndFormulas()
  const lines = content.split('\n').map((line) => {
    structure.beginLine(line, true)
    return structure.isCodeLine() ? line : escapeHtml(line)
  })
  const fenceEnd = structure.fenceEnd()
  return [...lines, ...(fenceEnd === '' ? [] : [fenceEnd])].join('\n')
}

/** Tags, and whatever else might begin a block of HTML. Angle brackets around addresses begin none. */
const HTML_TAG = /(?<!\\)<(?=[!?]|\/?[a-z][\w.-]*(?:\s[^<>]*)?\/?>)/gi
const HTML_BLOCK = /^((?:[ \t>]|[-*+] |\d{1,9}[.)] )*)<(?=[!?]|\/?[a-z][\w-]*(?:[\s>/]|$))/i

/** A line with the HTML outside of code escaped. */
function escapeHtml(line: string): string {
  return line
    .split(/(`+[^`]*`+)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(HTML_TAG, '\\<')))
    .join('')
    .replace(HTML_BLOCK, '$1\\<')
}

/** A file generated while it's being read. */
interface ExportedFile {
  name: string
  contentType: string
  text: AsyncIterable<string>
}

interface ExportsDeps {
  sessions: SessionsStore
  database: Database
  settings: SettingsReader
}

export type ExportsService = ReturnType<typeof createExportsService>

/** Characters with a meaning for file systems or shells, and those that change the writing direction. */
const unsafeInNames = /[\\/:*?"<>|%~$`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu

/** Exports conversations of any length as files. */
export function createExportsService({ sessions, database, settings }: ExportsDeps) {
  return {
    /** Opens a conversation as a file. @throws NotFoundError when it isn't the user's */
    async open(
      userId: string,
      sessionId: string,
      format: ChatExportFormat,
      reader: MarkdownReader,
    ): Promise<ExportedFile> {
      const row = await sessions.findSession(userId, sessionId)
      if (row === null) throw conversationNotFound()
      const currentMessageId = await findCurrentMessageId(database, sessionId)
      const { snippet: _, ...session } = presentSession(row)
      const name = fileNameOf(session.session_name)
      const toExported = (message: ExportedRow): ExportedMessage =>
        exportMessage(reader.mayKnowSetup ? message : forUsersIn(message))

      if (format === 'markdown') {
        const markdown = createMarkdown(reader, settings.current().assistant_name)
        const text = async function* () {
          yield markdown.head(session.session_name, new Date())
          if (currentMessageId === null) return
          for await (const rows of readBranch(database, currentMessageId)) {
            yield rows.map((row) => markdown.message(toExported(row))).join('')
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
        for await (const rows of readAllMessages(database, sessionId)) {
          if (rows.length === 0) continue
          yield between + rows.map((row) => JSON.stringify(toExported(row))).join(',\n')
          between = ',\n'
        }
        yield '\n]}\n'
      }
      return { name: `${name}.json`, contentType: 'application/json; charset=utf-8', text: text() }
    },
  }
}

function exportMessage(row: ExportedRow): ExportedMessage {
  const { client_id: _, siblings: __, streaming: ___, ...message } = presentMessage(row, undefined)
  const media = row.media.map(({ media_id, title, media_type }) => ({ media_id, title, media_type }))
  const agent_calls = message.agent_calls.map(withoutCodes)
  return { ...message, agent_calls, state: row.state, images: row.images, media }
}

/** A name that every file system accepts, without an extension. */
export function fileNameOf(title: string): string {
  const safe = title.replace(unsafeInNames, ' ').replace(/\s+/g, ' ')
  const trimmedName = shortName(safe).replace(/^[\s.-]+|[\s.]+$/g, '')
  const isReserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(trimmedName)
  return trimmedName === '' || isReserved ? `conversation${trimmedName && ` ${trimmedName}`}` : trimmedName
}
