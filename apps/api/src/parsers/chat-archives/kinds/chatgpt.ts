import { basename } from 'node:path'
import { z } from 'zod'
import type { ArchiveFiles } from '../archive-files.ts'
import {
  type ArchiveEntry,
  idSchema,
  modelSchema,
  momentSchema,
  type NamedPicture,
  nameOf,
  parentSchema,
  type TreeConversation,
  textSchema,
} from '../chat-archives.ts'
import { messagesOfTree, type TreeNode } from '../conversation-tree.ts'
import { listedValues } from '../json-values.ts'

const messageSchema = z.object({
  author: z.object({ role: z.string() }),
  create_time: momentSchema,
  content: z.looseObject({ content_type: z.string(), parts: z.array(z.unknown()).nullish() }),
  recipient: z.string().nullish(),
  metadata: z
    .looseObject({ model_slug: modelSchema, is_visually_hidden_from_conversation: z.boolean().nullish() })
    .nullish(),
})
const conversationSchema = z.object({
  conversation_id: idSchema.optional(),
  id: idSchema.optional(),
  title: textSchema,
  create_time: momentSchema,
  update_time: momentSchema,
  mapping: z.record(z.string(), z.object({ parent: parentSchema, message: messageSchema.nullish() })),
  current_node: parentSchema,
  is_archived: z.boolean().nullish(),
})
const pictureSchema = z.object({ content_type: z.literal('image_asset_pointer'), asset_pointer: z.string() })
const spokenSchema = z.object({ content_type: z.literal('audio_transcription'), text: z.string() })

/** Id of a picture: `file-service://file-AbC` and `sediment://file_00ab` are prefixes of file names. */
const ASSET = /(file[-_][A-Za-z0-9]+)/
const CONVERSATIONS = /(^|\/)conversations(-\d+)?\.json$/

/** ChatGPT: conversations.json with a tree per conversation, and picture files. */
export async function* readChatGpt(files: ArchiveFiles): AsyncGenerator<ArchiveEntry> {
  const assets = new Map(files.names().map((name) => [ASSET.exec(basename(name))?.[1] ?? '', name]))
  for await (const entry of listedValues(files, CONVERSATIONS)) yield readEntry(entry, assets)
}

function readEntry(entry: unknown, assets: Map<string, string>): ArchiveEntry {
  const read = conversationSchema.safeParse(entry)
  const sourceId = read.data?.conversation_id ?? read.data?.id
  if (!read.success || sourceId === undefined) return { unreadable: nameOf(entry) }
  const { title, create_time: createdAt, update_time: updatedAt, mapping, current_node: currentNode } = read.data
  const nodes = Object.entries(mapping).map(
    ([id, { parent, message }]): TreeNode => ({
      id,
      parentId: parent,
      message: message ? readMessage(message, assets) : null,
    }),
  )
  const conversation: TreeConversation = {
    sourceId,
    title,
    createdAt,
    updatedAt,
    place: { tags: [], isArchived: read.data.is_archived === true, projectId: null, personaId: null },
    ...messagesOfTree(nodes, currentNode),
  }
  return { conversation }
}

/** Null for messages that ChatGPT hides: instructions, reasoning, tool calls and results. */
function readMessage(message: z.output<typeof messageSchema>, assets: Map<string, string>): TreeNode['message'] {
  const { author, content, metadata, recipient, create_time: createdAt } = message
  const isShown = metadata?.is_visually_hidden_from_conversation !== true && (recipient ?? 'all') === 'all'
  const isKnownKind = content.content_type === 'text' || content.content_type === 'multimodal_text'
  if (!isShown || !isKnownKind) return null
  const texts: string[] = []
  const pictures: NamedPicture[] = []
  for (const part of content.parts ?? []) {
    const picture = pictureSchema.safeParse(part)
    const transcription = spokenSchema.safeParse(part)
    if (typeof part === 'string') texts.push(part)
    else if (transcription.success) texts.push(transcription.data.text)
    else if (picture.success) {
      const asset = ASSET.exec(basename(picture.data.asset_pointer))?.[1] ?? ''
      const assetFile = asset === '' ? undefined : assets.get(asset)
      pictures.push({ name: basename(assetFile ?? asset), entry: assetFile ?? null })
    }
  }
  const text = texts.join('\n\n').trim()
  // of a tool's messages only pictures are kept
  const isTool = author.role === 'tool'
  if (!['user', 'assistant', 'tool'].includes(author.role) || (pictures.length === 0 && (isTool || text === '')))
    return null
  return {
    role: author.role === 'user' ? 'user' : 'assistant',
    content: isTool ? '' : text,
    createdAt,
    model: author.role === 'user' ? null : (metadata?.model_slug ?? null),
    reasoning: null,
    pictures,
  }
}
