import { z } from 'zod'
import type { ArchiveFiles } from '../archive-files.ts'
import type { ArchiveEntry, NamedPicture } from '../archive-kind.ts'
import { messagesOfTree, type TreeNode } from '../conversation-tree.ts'
import { jsonValues } from '../json-values.ts'
import { idSchema, modelSchema, momentSchema, nameOf, parentSchema, textSchema } from './values.ts'

const fileSchema = z.looseObject({ type: z.string().nullish(), url: z.string().nullish(), name: z.string().nullish() })
const messageSchema = z.object({
  parentId: parentSchema,
  role: z.string(),
  content: textSchema,
  timestamp: momentSchema,
  model: modelSchema,
  files: z.array(z.unknown()).nullish(),
})
const conversationSchema = z.object({
  id: idSchema,
  title: textSchema,
  created_at: momentSchema,
  updated_at: momentSchema,
  chat: z.looseObject({
    title: textSchema,
    timestamp: momentSchema,
    history: z.object({ messages: z.record(z.string(), messageSchema), currentId: parentSchema }),
  }),
})

const DATA_URL = /^data:image\/[a-z0-9.+-]+;base64,/i
/** How thoughts stand in what a model said. */
const THOUGHTS = /<details type="reasoning"[^>]*>\s*(?:<summary>[^<]*<\/summary>)?([\s\S]*?)<\/details>/g

/** Open WebUI: a list of chats, each with the tree of its messages; pictures stand in it or stay on its server. */
export async function* readOpenWebUi(files: ArchiveFiles): AsyncGenerator<ArchiveEntry> {
  const names = files.names()
  for (const name of names.length === 1 ? names : names.filter((one) => one.endsWith('.json'))) {
    for await (const entry of jsonValues(files.pieces(name))) yield readEntry(entry)
  }
}

function readEntry(entry: unknown): ArchiveEntry {
  const read = conversationSchema.safeParse(entry)
  if (!read.success) return { unreadable: nameOf(entry) }
  const { id: sourceId, chat, created_at: createdAt, updated_at: updatedAt } = read.data
  const nodes = Object.entries(chat.history.messages).map(
    ([id, message]): TreeNode => ({
      id,
      parentId: message.parentId,
      message: readMessage(message),
    }),
  )
  const title = read.data.title || chat.title
  const tree = messagesOfTree(nodes, chat.history.currentId)
  return { conversation: { sourceId, title, createdAt: createdAt ?? chat.timestamp, updatedAt, ...tree } }
}

function readMessage(message: z.output<typeof messageSchema>): TreeNode['message'] {
  const { role, timestamp: createdAt, model } = message
  if (role !== 'user' && role !== 'assistant') return null
  const thoughts = [...message.content.matchAll(THOUGHTS)].map(([, thought = '']) => thought.trim())
  const content = message.content.replace(THOUGHTS, '').trim()
  const pictures = (message.files ?? []).flatMap(readPicture)
  if (content === '' && pictures.length === 0) return null
  const reasoning = thoughts.join('\n\n') || null
  return { role, content, createdAt, model: role === 'user' ? null : model, reasoning, pictures }
}

function readPicture(file: unknown, at: number): NamedPicture[] {
  const { type, url, name } = fileSchema.safeParse(file).data ?? {}
  if (type !== 'image' || !url) return []
  const called = name ?? `picture-${at + 1}`
  const encoded = DATA_URL.test(url) ? url.slice(url.indexOf(',') + 1) : null
  return [encoded === null ? { name: called, entry: null } : { name: called, bytes: Buffer.from(encoded, 'base64') }]
}
