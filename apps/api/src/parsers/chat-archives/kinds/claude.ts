import { z } from 'zod'
import type { ArchiveFiles } from '../archive-files.ts'
import { type ArchiveEntry, idSchema, nameOf, parentSchema, textSchema, timestampSchema } from '../chat-archives.ts'
import { messagesOfTree, type TreeNode } from '../conversation-tree.ts'
import { listedValues } from '../json-values.ts'
import { documentText, type ModelDocument } from '../model-document.ts'
import { sourceLinks } from '../source-link.ts'

const inputSchema = z.object({
  command: textSchema,
  id: textSchema,
  path: textSchema,
  type: textSchema,
  language: textSchema,
  title: textSchema,
  content: textSchema,
  file_text: textSchema,
  old_str: textSchema,
  new_str: textSchema,
})
const callSchema = z.object({ type: z.literal('tool_use'), name: z.string(), input: inputSchema })

const languageOfType = new Map([
  ['application/vnd.ant.mermaid', 'mermaid'],
  ['application/vnd.ant.react', 'jsx'],
  ['image/svg+xml', 'svg'],
  ['text/html', 'html'],
  ['text/markdown', 'markdown'],
])
const DOCUMENT_TOOLS = ['artifacts', 'create_file', 'str_replace', 'str_replace_based_edit_tool']

interface Artifacts {
  /** Documents that the message creates or changes. */
  own: ReadonlyMap<string, ModelDocument>
  /** Documents of the nearest ancestor that has some. */
  before: Artifacts | undefined
  /** Names of all documents from the first message on, also in other branches. */
  names: Set<string>
  /** Document that a part creates or changes; null for other parts. */
  documentOf(part: unknown): string | null
}

/**
 * Reader of the artifacts that tool calls create or change. `documentOf` returns the artifact as it was after the call, with code
 * in a block. It must be called in the order of the conversation, because a change only contains the replaced text and the new one.
 * @param parent reader of the parent message, from which a branch continues. A copy of its documents would take quadratic memory.
 */
function createArtifacts(parent?: Artifacts): Artifacts {
  const own = new Map<string, ModelDocument>()
  const before = parent?.own.size === 0 ? parent.before : parent
  const names = parent?.names ?? new Set<string>()

  const existingDocument = (name: string): ModelDocument | undefined => {
    if (!names.has(name)) return undefined
    let existing = own.get(name)
    for (let link = before; existing === undefined && link !== undefined; link = link.before)
      existing = link.own.get(name)
    return existing
  }

  const documentOf = (part: unknown): string | null => {
    const { data: call } = callSchema.safeParse(part)
    if (call === undefined || !DOCUMENT_TOOLS.includes(call.name)) return null
    const {
      id,
      path,
      title,
      type,
      language,
      content,
      file_text: fileText,
      old_str: oldText,
      new_str: newText,
    } = call.input
    const name = id || path
    const existing = existingDocument(name)
    const text = content || fileText
    const isChange = text === '' && oldText !== ''
    if (text === '' && !(isChange && existing?.text.includes(oldText))) return null
    const document = {
      title: title || existing?.title || path,
      language: language || languageOfType.get(type) || existing?.language || extensionOf(path),
      // the new text may look like a replacement pattern
      text: isChange && existing !== undefined ? existing.text.replace(oldText, () => newText) : text,
    }
    own.set(name, document)
    names.add(name)
    return documentText(document)
  }

  return { own, before, names, documentOf }
}

const extensionOf = (path: string): string => /\.([a-z0-9]{1,10})$/i.exec(path)?.[1] ?? ''

/** Types of parts that a message's `text` doesn't show: it only says that they aren't supported, or repeats the thoughts. */
const SILENT_PART = /^(?:tool_|thinking$|redacted_thinking$|token_budget$)/
const partSchema = z.object({
  type: z.string(),
  text: textSchema,
  thinking: textSchema,
  citations: z.array(z.unknown()).nullish().catch(null),
})
const citationSchema = z.object({
  end_index: z.number().int().min(1),
  details: z.object({ url: z.string() }),
})
const attachmentSchema = z.object({ file_name: textSchema, extracted_content: textSchema })
const idsSchema = z.object({ uuid: idSchema, parent_message_uuid: parentSchema })
const messageSchema = z.object({
  sender: z.string(),
  text: textSchema,
  content: z.array(z.unknown()).nullish().catch(null),
  created_at: timestampSchema,
  attachments: z.array(attachmentSchema).nullish().catch(null),
  files: z
    .array(z.object({ file_name: textSchema }))
    .nullish()
    .catch(null),
})
const conversationSchema = z.object({
  uuid: idSchema,
  name: textSchema,
  created_at: timestampSchema,
  updated_at: timestampSchema,
  current_leaf_message_uuid: parentSchema,
  // An invalid message doesn't invalidate the conversation, and keeps its place in it.
  chat_messages: z.array(z.unknown()).transform((messages) =>
    messages.flatMap((raw) => {
      const { data: ids } = idsSchema.safeParse(raw)
      return ids === undefined ? [] : [{ ...ids, message: messageSchema.safeParse(raw).data ?? null }]
    }),
  ),
})
/** Parent of the first messages. */
const NO_MESSAGE = '00000000-0000-4000-8000-000000000000'
const CONVERSATIONS = /(^|\/)conversations(-\d+)?\.json$/

/** Claude: conversations.json with the messages of each conversation; uploaded files aren't included. */
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
    chat_messages: allMessages,
  } = read.data
  // When no message names its parent, each one follows the previous one.
  const isTree = allMessages.some(({ parent_message_uuid: parent }) => parent !== null)
  const ids = new Set<string>()
  // A repeated message would follow itself in a list.
  const messages = allMessages.filter(({ uuid }) => {
    const isRepeated = ids.has(uuid)
    ids.add(uuid)
    return isTree || !isRepeated
  })
  const documents = new Map<string | null, Artifacts>()
  /** Message before the first one after each missing parent. */
  const beforeMissing = new Map<string, string | null>()
  const ancestors = new Map(
    messages.map(({ uuid, parent_message_uuid: parent }) => [uuid, parent !== null && ids.has(parent) ? parent : null]),
  )
  const nodes = messages.map(({ uuid: id, parent_message_uuid: parent, message }, index): TreeNode => {
    const previousId = messages[index - 1]?.uuid ?? null
    let parentId = isTree ? parent : previousId
    if (isTree && parent !== null && parent !== NO_MESSAGE && !ids.has(parent)) {
      // A message that's missing from the export is skipped, so that what follows it isn't separated from what precedes it.
      const before = beforeMissing.has(parent) ? (beforeMissing.get(parent) ?? null) : previousId
      // In a list that isn't in order of time, the previous message may be a reply to this one.
      parentId = before === null || before === id || rootOf(before, ancestors) === id ? null : before
      ancestors.set(id, parentId)
      if (!beforeMissing.has(parent)) beforeMissing.set(parent, parentId)
    }
    const artifacts = createArtifacts(documents.get(parentId))
    documents.set(id, artifacts)
    return { id, parentId, message: message && readMessage(message, artifacts.documentOf) }
  })
  // A list has a single branch, whose end is displayed.
  const tree = messagesOfTree(nodes, isTree ? read.data.current_leaf_message_uuid : null)
  return { conversation: { sourceId, title, createdAt, updatedAt, ...tree } }
}

/**
 * Id of the first message of a branch; any of a cycle.
 * @param ancestors a preceding message by id, replaced by the first one of the branch to shorten later searches.
 */
function rootOf(id: string, ancestors: Map<string, string | null>): string {
  const path = new Set<string>()
  let root = id
  for (let next = ancestors.get(root) ?? null; next !== null && !path.has(root); next = ancestors.get(root) ?? null) {
    path.add(root)
    root = next
  }
  for (const passed of path) if (passed !== root) ancestors.set(passed, root)
  return root
}

function readMessage(
  message: z.output<typeof messageSchema>,
  documentOf: Artifacts['documentOf'],
): TreeNode['message'] {
  const role = message.sender === 'human' ? 'user' : message.sender
  if (role !== 'user' && role !== 'assistant') return null
  const rawParts = message.content ?? []
  const parts = rawParts.flatMap((part) => partSchema.safeParse(part).data ?? [])
  const texts = rawParts.flatMap((part) => {
    const { type, text, citations } = partSchema.safeParse(part).data ?? {}
    return type === 'text' && text ? [withCitations(text, citations ?? [])] : (documentOf(part) ?? [])
  })
  const thoughts = parts.filter(({ type }) => type === 'thinking').map(({ thinking }) => thinking)
  // pasted text has no name
  const attached = (message.attachments ?? []).map(({ file_name: name, extracted_content: text }) =>
    [nameLine(name), text].filter((one) => one !== '').join('\n\n'),
  )
  const fileLines = (message.files ?? []).map(({ file_name: name }) => nameLine(name))
  const isSilent = parts.length > 0 && parts.every(({ type }) => SILENT_PART.test(type))
  const fullText = texts.length > 0 || isSilent ? texts.join('\n\n') : message.text
  const content = [fullText, ...attached, ...fileLines]
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

/** A text with links to the pages it cites, each after its passage. */
function withCitations(text: string, rawCitations: unknown[]): string {
  const urlsByEnd = new Map<number, string[]>()
  for (const rawCitation of rawCitations) {
    const { end_index: index, details } = citationSchema.safeParse(rawCitation).data ?? {}
    if (index === undefined || index > text.length || details === undefined) continue
    // not between the two UTF-16 units of a character
    const end = (text.codePointAt(index - 1) ?? 0) > 0xffff ? index + 1 : index
    const urls = urlsByEnd.get(end)
    if (urls === undefined) urlsByEnd.set(end, [details.url])
    else if (urls.length < MAX_CITATIONS_OF_PASSAGE) urls.push(details.url)
  }
  let cited = ''
  let position = 0
  for (const [end, urls] of [...urlsByEnd].sort(([a], [b]) => a - b)) {
    const links = sourceLinks(urls.map((url) => ({ title: '', url })))
    // not within a word, in case positions are counted differently
    const passageEnd = Math.max(
      position,
      end + (REST_OF_WORD.exec(text.slice(end - 1, end + MAX_WORD_CHARACTERS))?.[1]?.length ?? 0),
    )
    if (links === '') continue
    cited += `${text.slice(position, passageEnd)} ${links}`
    position = passageEnd
  }
  return cited + text.slice(position)
}

const MAX_CITATIONS_OF_PASSAGE = 20
const MAX_WORD_CHARACTERS = 40
/** End of a word, after one of its characters. */
const REST_OF_WORD = /^[\p{L}\p{N}]([\p{L}\p{N}]+)/u

const nameLine = (name: string): string => (name === '' ? '' : `*${name}*`)
