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
  type TreeConversation,
  textSchema,
  timestampSchema,
} from '../chat-archives.ts'
import { messagesOfTree, type TreeNode } from '../conversation-tree.ts'
import { listedValues } from '../json-values.ts'
import { documentText } from '../model-document.ts'

const messageSchema = z.object({
  author: z.object({ role: z.string() }),
  create_time: timestampSchema,
  content: z.looseObject({
    content_type: z.string(),
    parts: z.array(z.unknown()).nullish(),
    text: z.unknown().optional(),
  }),
  recipient: z.string().nullish(),
  metadata: z
    .looseObject({
      model_slug: modelSchema,
      is_visually_hidden_from_conversation: z.boolean().nullish(),
      content_references: z.array(z.unknown()).nullish().catch(null),
      attachments: z.array(z.unknown()).nullish().catch(null),
    })
    .nullish(),
})
const conversationSchema = z.object({
  conversation_id: idSchema.optional(),
  id: idSchema.optional(),
  title: textSchema,
  create_time: timestampSchema,
  update_time: timestampSchema,
  // A message of an unknown kind is skipped and doesn't invalidate the conversation.
  mapping: z.record(z.string(), z.object({ parent: parentSchema, message: messageSchema.nullish().catch(null) })),
  current_node: parentSchema,
  is_archived: z.boolean().nullish(),
})
const pictureSchema = z.object({ content_type: z.literal('image_asset_pointer'), asset_pointer: z.string() })
const referenceSchema = z.object({
  matched_text: z
    .string()
    .trim()
    .regex(/^[\uE200\u3010]/),
  alt: textSchema,
})
const attachmentSchema = z.object({ name: z.string().min(1), mime_type: textSchema, mimeType: textSchema })
const newDocumentSchema = z.object({ name: textSchema, type: textSchema, content: z.string() })
const changesSchema = z.object({ updates: z.array(z.object({ replacement: z.string() })) })
const transcriptionSchema = z.object({ content_type: z.literal('audio_transcription'), text: z.string() })

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

/** A mark between private-use characters: its kind, then ids of sources or the data of a name or picture. */
const MARK = /\uE200[^\uE200\uE201]*\uE201/g
/** Mark of a person, place or work, whose name is its second value. */
const NAMED_MARK = /^\uE200entity\uE202\["[^"]*","([^"]*)"/
/** Delimiters of a passage with a source. */
const PASSAGE_ENDS = /[\uE203\uE204]/g

/** Mark of a source, in the current format and the previous one. */
const SOURCE_MARK = /(\uE200[^\uE200\uE201]*\uE201|\u3010[^\u3010\u3011]*\u3011)/
/** Maximum number of marks in a row that are taken together for one source. */
const MAX_MARKS_OF_SOURCE = 8
/** Maximum characters of links for each character of a text and its sources: a damaged file may repeat a mark endlessly. */
const MAX_GROWTH = 4

/** An answer's text, with links in place of the marks of its sources. */
function withSources(text: string, references: unknown[]): string {
  const links = new Map<string, string>()
  let remainingCharacters = MAX_GROWTH * text.length
  for (const reference of references) {
    const { matched_text: mark, alt } = referenceSchema.safeParse(reference).data ?? {}
    if (mark === undefined) continue
    // A link without an address is replaced by its name.
    const link = (alt ?? '').replaceAll(/\[([^[\]]*)\]\(\)/g, '$1')
    remainingCharacters += MAX_GROWTH * link.length
    links.set(mark, links.get(mark) ?? link)
  }
  // marks are at odd indexes, the texts between them at even ones
  const parts = text.split(SOURCE_MARK)
  let linked = parts[0] ?? ''
  for (let index = 1; index < parts.length; index += 2) {
    const { source, last } = longestSource(parts, index, links)
    const link = links.get(source) ?? source
    remainingCharacters -= link.length
    linked += (remainingCharacters < 0 ? '' : link) + (parts[last + 1] ?? '')
    index = last
  }
  return linked.replaceAll(MARK, (mark) => NAMED_MARK.exec(mark)?.[1] ?? '').replaceAll(PASSAGE_ENDS, '')
}

/** The longest known source that begins with a mark: some sources are several marks with blanks between them. */
function longestSource(parts: string[], index: number, links: Map<string, string>): { source: string; last: number } {
  let marks = parts[index] ?? ''
  let longest = { source: marks, last: index }
  const end = Math.min(parts.length, index + 2 * MAX_MARKS_OF_SOURCE)
  for (let last = index + 2; last < end && parts[last - 1]?.trim() === ''; last += 2) {
    marks += `${parts[last - 1] ?? ''}${parts[last] ?? ''}`
    if (links.has(marks)) longest = { source: marks, last }
  }
  return longest
}

/** Document that a message creates or changes on the canvas, with only the new text of a change; null for other messages. */
function documentOf({ recipient, content }: z.output<typeof messageSchema>): string | null {
  if (!/^canmore\.(?:create|update)_textdoc$/.test(recipient ?? '')) return null
  const call = jsonOf(content.text ?? content.parts?.[0])
  const document = newDocumentSchema.safeParse(call).data
  if (document !== undefined) {
    const language = /^code\/(.+)$/.exec(document.type)?.[1] ?? 'markdown'
    return documentText({ title: document.name, language, text: document.content })
  }
  const { updates } = changesSchema.safeParse(call).data ?? { updates: [] }
  return updates.map(({ replacement }) => replacement.trim()).join('\n\n') || null
}

function jsonOf(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : null
  } catch {
    // The JSON is incomplete when the answer was interrupted.
    return null
  }
}

/** Converts a message; null for one that ChatGPT hides: instructions, reasoning, tool calls and results. */
function readMessage(message: z.output<typeof messageSchema>, assets: Map<string, string>): TreeNode['message'] {
  const { author, content, metadata, recipient, create_time: createdAt } = message
  const document = documentOf(message)
  const isShown =
    document !== null || (metadata?.is_visually_hidden_from_conversation !== true && (recipient ?? 'all') === 'all')
  const isKnownKind = content.content_type === 'text' || content.content_type === 'multimodal_text'
  if (!isShown || (!isKnownKind && document === null)) return null
  const texts: string[] = []
  const pictures: PictureReference[] = []
  for (const part of document === null ? (content.parts ?? []) : []) {
    const picture = pictureSchema.safeParse(part)
    const transcription = transcriptionSchema.safeParse(part)
    if (typeof part === 'string') texts.push(part)
    else if (transcription.success) texts.push(transcription.data.text)
    else if (picture.success) {
      const asset = ASSET.exec(basename(picture.data.asset_pointer))?.[1] ?? ''
      const assetFile = asset === '' ? undefined : assets.get(asset)
      pictures.push({ name: basename(assetFile ?? asset), entry: assetFile ?? null })
    }
  }
  // Pictures aren't listed by name, since they're shown.
  const names = (metadata?.attachments ?? []).flatMap((attachment) => {
    const { name, mime_type: type, mimeType } = attachmentSchema.safeParse(attachment).data ?? {}
    return name === undefined || (type || mimeType)?.startsWith('image/') ? [] : [`*${name}*`]
  })
  const linkedText = withSources(texts.join('\n\n'), metadata?.content_references ?? [])
  const text = [document ?? linkedText, ...names]
    .filter((one) => one !== '')
    .join('\n\n')
    .trim()
  // A tool's message is only kept for its pictures.
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
