import { z } from 'zod'
import type { ArchiveFiles } from '../archive-files.ts'
import type { ArchiveEntry } from '../archive-kind.ts'
import { messagesOfTree, type TreeNode } from '../conversation-tree.ts'
import { listedValues } from '../json-values.ts'
import { createDocumentsMade, type DocumentsMade } from './documents-made.ts'
import { idSchema, momentSchema, nameOf, parentSchema, textSchema } from './values.ts'

const partSchema = z.object({ type: z.string(), text: textSchema, thinking: textSchema })
const attachmentSchema = z.object({ file_name: textSchema, extracted_content: textSchema })
const messageSchema = z.object({
  uuid: idSchema,
  parent_message_uuid: parentSchema,
  sender: z.string(),
  text: textSchema,
  content: z.array(z.unknown()).nullish(),
  created_at: momentSchema,
  attachments: z.array(attachmentSchema).nullish(),
  files: z.array(z.object({ file_name: textSchema })).nullish(),
})
const conversationSchema = z.object({
  uuid: idSchema,
  name: textSchema,
  created_at: momentSchema,
  updated_at: momentSchema,
  current_leaf_message_uuid: parentSchema,
  chat_messages: z.array(messageSchema),
})
const CONVERSATIONS = /(^|\/)conversations(-\d+)?\.json$/

/** Claude: conversations.json with the messages of each conversation; the files that were sent are not in it. */
export async function* readClaude(files: ArchiveFiles): AsyncGenerator<ArchiveEntry> {
  for await (const entry of listedValues(files, CONVERSATIONS)) yield readEntry(entry)
}

function readEntry(entry: unknown): ArchiveEntry {
  const read = conversationSchema.safeParse(entry)
  if (!read.success) return { unreadable: nameOf(entry) }
  const {
    uuid: sourceId,
    name: title,
    created_at: createdAt,
    updated_at: updatedAt,
    chat_messages: messages,
  } = read.data
  // without parents they follow each other
  const isTree = messages.some(({ parent_message_uuid: parent }) => parent !== null)
  const documents = new Map<string | null, DocumentsMade>()
  const nodes = messages.map((message, at): TreeNode => {
    const id = message.uuid
    const parentId = isTree ? message.parent_message_uuid : (messages[at - 1]?.uuid ?? null)
    const made = createDocumentsMade(documents.get(parentId))
    documents.set(id, made)
    return { id, parentId, message: readMessage(message, made.documentOf) }
  })
  const tree = messagesOfTree(nodes, read.data.current_leaf_message_uuid)
  return { conversation: { sourceId, title, createdAt, updatedAt, ...tree } }
}

function readMessage(
  message: z.output<typeof messageSchema>,
  documentOf: DocumentsMade['documentOf'],
): TreeNode['message'] {
  const role = message.sender === 'human' ? 'user' : message.sender
  if (role !== 'user' && role !== 'assistant') return null
  const given = message.content ?? []
  const parts = given.flatMap((part) => partSchema.safeParse(part).data ?? [])
  const texts = given.flatMap((part) => {
    const { type, text } = partSchema.safeParse(part).data ?? {}
    return type === 'text' && text ? [text] : (documentOf(part) ?? [])
  })
  const thoughts = parts.filter(({ type }) => type === 'thinking').map(({ thinking }) => thinking)
  // what was pasted has no name
  const attached = (message.attachments ?? []).map(({ file_name: name, extracted_content: text }) =>
    [nameLine(name), text].filter((one) => one !== '').join('\n\n'),
  )
  const sent = (message.files ?? []).map(({ file_name: name }) => nameLine(name))
  const said = texts.length > 0 ? texts.join('\n\n') : message.text
  const content = [said, ...attached, ...sent]
    .filter((one) => one !== '')
    .join('\n\n')
    .trim()
  if (content === '') return null
  return {
    role,
    content,
    createdAt: message.created_at,
    model: null,
    reasoning: thoughts.join('\n\n').trim() || null,
    pictures: [],
  }
}

const nameLine = (name: string): string => (name === '' ? '' : `*${name}*`)
