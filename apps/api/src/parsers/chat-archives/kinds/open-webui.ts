import { z } from 'zod'
import type { ArchiveFiles } from '../archive-files.ts'
import {
  type ArchiveEntry,
  idFrom,
  idSchema,
  modelSchema,
  nameOf,
  type PictureReference,
  parentSchema,
  textSchema,
  timestampSchema,
} from '../chat-archives.ts'
import { messagesOfTree, type TreeNode } from '../conversation-tree.ts'
import { listedValues } from '../json-values.ts'

const fileSchema = z.looseObject({
  type: z.string().nullish(),
  content_type: z.string().nullish(),
  url: z.string().nullish(),
  name: z.string().nullish(),
})
/** A text, or its parts in some versions. */
const contentSchema = z
  .union([
    z.string(),
    z
      .array(z.looseObject({ text: z.string().optional() }))
      .transform((parts) => parts.map(({ text = '' }) => text).join('')),
  ])
  .nullish()
  .transform((text) => text ?? '')
const parentIdSchema = z.looseObject({ parentId: parentSchema })
const messageSchema = z.object({
  role: z.string(),
  content: contentSchema,
  timestamp: timestampSchema,
  model: modelSchema,
  files: z.array(z.unknown()).nullish(),
  output: z.array(z.unknown()).nullish(),
})
const outputSchema = z.object({ type: z.string(), content: z.array(z.object({ text: textSchema })).nullish() })
const conversationSchema = z.object({
  id: idSchema.or(z.literal('')).optional(),
  title: textSchema,
  created_at: timestampSchema,
  updated_at: timestampSchema,
  archived: z.boolean().nullish(),
  meta: z.looseObject({ tags: z.array(z.string()).catch([]) }).catch({ tags: [] }),
  chat: z.looseObject({
    id: idSchema.or(z.literal('')).nullish(),
    title: textSchema,
    timestamp: timestampSchema,
    history: z.object({ messages: z.record(z.string(), z.unknown()), currentId: parentSchema }).nullish(),
    messages: z.array(z.unknown()).nullish(),
  }),
})

const bareChatSchema = z.looseObject({
  chat: z.undefined().optional(),
  history: z.looseObject({ messages: z.looseObject({}) }),
})

const DATA_URL = /^data:image\/[a-z0-9.+-]+;base64,/i
/** Elements with reasoning, tool calls and executed code in a model's answer. */
const DETAILS_TYPE = /\btype="(reasoning|tool_calls|code_interpreter)"/
const DETAILS_OPENING = /<details\b((?:(?!<details\b)[^>])*)>\s*(?:<summary>[^<]*<\/summary>)?/g
const DETAILS_CLOSING = '</details>'
const ENTITIES: Record<string, string> = { gt: '>', lt: '<', amp: '&', quot: '"', '#x27': "'", '#39': "'" }

/** Open WebUI: a list of chats with message trees; pictures are inline or on its server. */
export async function* readOpenWebUi(files: ArchiveFiles): AsyncGenerator<ArchiveEntry> {
  for await (const entry of listedValues(files, /\.json$/)) yield readEntry(entry)
}

function readEntry(entry: unknown): ArchiveEntry {
  // Converters write the chat without the row that contains it.
  const read = conversationSchema.safeParse(bareChatSchema.safeParse(entry).success ? { chat: entry } : entry)
  const nodes = read.success ? nodesOf(read.data.chat) : null
  if (!read.success || nodes === null) return { unreadable: nameOf(entry) }
  const { chat, created_at: createdAt, updated_at: updatedAt } = read.data
  const title = read.data.title || chat.title
  const sourceId =
    read.data.id || chat.id || idFrom(title, chat.timestamp, chat.history?.messages ?? chat.messages ?? [])
  const place = { tags: read.data.meta.tags, isArchived: read.data.archived === true, projectId: null, personaId: null }
  const tree = messagesOfTree(nodes, chat.history?.currentId ?? null)
  return {
    conversation: { sourceId, title, createdAt: createdAt ?? chat.timestamp, updatedAt, place, ...tree },
  }
}

/** Messages as a tree, or as a list in the first versions; null for neither. */
function nodesOf({ history, messages }: z.output<typeof conversationSchema>['chat']): TreeNode[] | null {
  // an invalid message doesn't invalidate the others
  const messageIn = (rawMessage: unknown) => {
    const { data: message } = messageSchema.safeParse(rawMessage)
    return message === undefined ? null : readMessage(message)
  }
  if (history) {
    return Object.entries(history.messages).map(([id, rawMessage]) => {
      const { parentId = null } = parentIdSchema.safeParse(rawMessage).data ?? {}
      return { id, parentId, message: messageIn(rawMessage) }
    })
  }
  const linear = (messages ?? []).map((rawMessage, index) => ({
    id: `${index}`,
    parentId: index === 0 ? null : `${index - 1}`,
    message: messageIn(rawMessage),
  }))
  return messages ? linear : null
}

function readMessage(message: z.output<typeof messageSchema>): TreeNode['message'] {
  const { role, timestamp: createdAt, model } = message
  if (role !== 'user' && role !== 'assistant') return null
  const thoughts: string[] = []
  const mainText = replaceDetails(message.content, (type, inside) => {
    if (type === 'reasoning') thoughts.push(unquoted(inside.trim()))
    return type === 'code_interpreter' ? inside : ''
  })
  const output = (message.output ?? []).flatMap((part) => outputSchema.safeParse(part).data ?? [])
  const outputOf = (kind: string) =>
    output.flatMap(({ type, content }) => (type === kind ? [(content ?? []).map(({ text }) => text).join('')] : []))
  const text = (role === 'user' ? message.content : mainText).trim() || outputOf('message').join('\n\n').trim()
  const files = (message.files ?? []).flatMap((file) => {
    const read = fileSchema.safeParse(file)
    return read.success ? [read.data] : []
  })
  const fileLines = files.flatMap((file) => (isPicture(file) || !file.name ? [] : [`*${file.name}*`]))
  const content = [text, ...fileLines].filter((one) => one !== '').join('\n\n')
  const pictures = files.filter(isPicture).flatMap(readPicture)
  if (content === '' && pictures.length === 0) return null
  const reasoning = (thoughts.length > 0 ? thoughts : outputOf('reasoning')).join('\n\n').trim() || null
  return { role, content, createdAt, model: role === 'user' ? null : model, reasoning, pictures }
}

/** Replaces each details element; works part by part, as a single pattern takes quadratic time when none is closed. */
function replaceDetails(content: string, replace: (type: string, inside: string) => string): string {
  const parts = content.split(DETAILS_CLOSING)
  const rest = parts.pop() ?? ''
  const read = parts.map((part) => {
    for (const opening of part.matchAll(DETAILS_OPENING)) {
      const type = DETAILS_TYPE.exec(opening[1] ?? '')?.[1]
      if (type === undefined) continue
      return part.slice(0, opening.index) + replace(type, part.slice(opening.index + opening[0].length))
    }
    return part + DETAILS_CLOSING
  })
  return read.join('') + rest
}

/** Removes the `>` before each line of stored reasoning, which is escaped as HTML in some versions. */
function unquoted(thoughts: string): string {
  const text = thoughts.startsWith('&gt;')
    ? thoughts.replace(/&(gt|lt|amp|quot|#x27|#39);/g, (_whole, name: string) => ENTITIES[name] ?? '')
    : thoughts
  const lines = text.split('\n')
  return lines.every((line) => line === '' || line.startsWith('>'))
    ? lines.map((line) => line.replace(/^> ?/, '')).join('\n')
    : text
}

type SentFile = z.output<typeof fileSchema>

const isPicture = ({ type, content_type: contentType }: SentFile) =>
  type === 'image' || contentType?.startsWith('image/') === true

function readPicture({ url, name }: SentFile, index: number): PictureReference[] {
  if (!url) return []
  const pictureName = name ?? `picture-${index + 1}`
  const encoded = DATA_URL.test(url) ? url.slice(url.indexOf(',') + 1) : null
  return [
    encoded === null
      ? { name: pictureName, entry: null }
      : { name: pictureName, bytes: Buffer.from(encoded, 'base64') },
  ]
}
