import { basename } from 'node:path'
import { z } from 'zod'
import type { ArchiveFiles } from '../archive-files.ts'
import {
  type ArchiveEntry,
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

const idsSchema = z.object({ messageId: idSchema, parentMessageId: parentSchema })
const messageSchema = z.object({
  isCreatedByUser: z.boolean().nullish(),
  sender: z.string().nullish(),
  text: textSchema,
  content: z.array(z.unknown()).nullish(),
  createdAt: timestampSchema,
  model: modelSchema,
  error: z.boolean().nullish(),
  files: z.array(z.unknown()).nullish(),
  attachments: z.array(z.unknown()).nullish(),
  children: z.array(z.unknown()).nullish(),
})
/** An invalid message's children, which may be valid. */
const childrenSchema = z.object({ children: z.array(z.unknown()) })
const fileSchema = z.object({
  filename: textSchema,
  filepath: textSchema,
  type: textSchema,
  width: z.number().nullish(),
})
const conversationSchema = z.object({
  conversationId: idSchema,
  title: textSchema,
  exportAt: z.string().nullish(),
  messages: z.array(z.unknown()).optional(),
  messagesTree: z.array(z.unknown()).optional(),
})
const partSchema = z.object({
  type: z.string(),
  text: z.union([z.string(), z.object({ value: textSchema }).transform(({ value }) => value)]).optional(),
  think: z.string().optional(),
})

/** LibreChat: a file per conversation, with flat or nested messages. */
export async function* readLibreChat(files: ArchiveFiles): AsyncGenerator<ArchiveEntry> {
  for await (const entry of listedValues(files, /\.json$/)) yield readEntry(entry)
}

function readEntry(entry: unknown): ArchiveEntry {
  const read = conversationSchema.safeParse(entry)
  const messages = read.data?.messagesTree ?? read.data?.messages
  const nodes = messages === undefined ? null : readNodes(messages)
  if (!read.success || nodes === null) return { unreadable: nameOf(entry) }
  const { conversationId: sourceId, title } = read.data
  const tree = messagesOfTree(nodes, null)
  const dates = tree.messages.flatMap(({ createdAt }) => createdAt ?? []).sort()
  return {
    conversation: { sourceId, title, createdAt: dates[0] ?? null, updatedAt: dates.at(-1) ?? null, ...tree },
  }
}

/**
 * Flattens nested messages into nodes; null when none of them is a message. An invalid one becomes a node without a message; if
 * its ids are invalid, it's skipped, and its children belong to the message around it.
 */
function readNodes(messages: unknown[]): TreeNode[] | null {
  const nodes: TreeNode[] = []
  let hasMessage = false
  const pending = messages.map((raw) => ({ raw, enclosingId: null as string | null })).reverse()
  while (pending.length > 0) {
    const { raw, enclosingId } = pending.pop() as (typeof pending)[number]
    const { data: ids } = idsSchema.safeParse(raw)
    const { data: message } = messageSchema.safeParse(raw)
    const children = childrenSchema.safeParse(raw).data?.children ?? []
    for (const child of children.toReversed()) pending.push({ raw: child, enclosingId: ids?.messageId ?? enclosingId })
    if (ids === undefined) continue
    if (message !== undefined) hasMessage = true
    nodes.push({
      id: ids.messageId,
      parentId: enclosingId ?? ids.parentMessageId,
      message: message === undefined ? null : readMessage(message),
    })
  }
  return hasMessage || messages.length === 0 ? nodes : null
}

/** Converts a message; null for an empty one, and for LibreChat's message that an answer failed. */
function readMessage(message: z.output<typeof messageSchema>): TreeNode['message'] {
  const isUser = message.isCreatedByUser ?? message.sender === 'User'
  if (message.error === true && !isUser) return null
  const parts = (message.content ?? []).flatMap((part) => partSchema.safeParse(part).data ?? [])
  const texts = parts.flatMap(({ type, text }) => (type === 'text' && text ? [text] : []))
  const files = [...(message.files ?? []), ...(message.attachments ?? [])].flatMap(
    (file) => fileSchema.safeParse(file).data ?? [],
  )
  const isPicture = ({ type, width }: (typeof files)[number]) => type.startsWith('image/') || typeof width === 'number'
  // pictures stay on LibreChat's server
  const pictures = files.filter(isPicture).map(
    ({ filename, filepath }, index): PictureReference => ({
      name: filename || basename(filepath) || `picture-${index + 1}`,
      entry: null,
    }),
  )
  const fileLines = files.flatMap((file) => (isPicture(file) || file.filename === '' ? [] : [`*${file.filename}*`]))
  const content = [texts.length > 0 ? texts.join('\n\n') : message.text, ...fileLines].join('\n\n').trim()
  if (content === '' && pictures.length === 0) return null
  return {
    role: isUser ? 'user' : 'assistant',
    content,
    createdAt: message.createdAt,
    model: isUser ? null : message.model,
    reasoning: parts.flatMap(({ think }) => think ?? []).join('\n\n') || null,
    pictures,
  }
}
