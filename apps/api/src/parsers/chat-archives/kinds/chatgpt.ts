import { basename } from 'node:path'
import { z } from 'zod'
import { type ArchiveFiles, ArchiveProblem } from '../archive-files.ts'
import {
  type ArchiveEntry,
  idFrom,
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
import { jsonValues, listedValues } from '../json-values.ts'
import { documentText } from '../model-document.ts'
import { sourceLink, sourceLinks } from '../source-link.ts'

const messageSchema = z.object({
  author: z.object({ role: z.string() }),
  create_time: timestampSchema,
  content: z.looseObject({
    content_type: z.string().default('text'),
    parts: z.array(z.unknown()).nullish(),
    text: z.unknown().optional(),
    thoughts: z.array(z.unknown()).nullish().catch(null),
  }),
  recipient: z.string().nullish(),
  channel: z.string().nullish().catch(null),
  metadata: z
    .looseObject({
      model_slug: modelSchema,
      is_visually_hidden_from_conversation: z.boolean().nullish(),
      content_references: z.array(z.unknown()).nullish().catch(null),
      citations: z.array(z.unknown()).nullish().catch(null),
      attachments: z.array(z.unknown()).nullish().catch(null),
      aggregate_result: z
        .object({ messages: z.array(z.unknown()).nullish() })
        .nullish()
        .catch(null),
      reasoning_status: z.string().nullish().catch(null),
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
  mapping: z.record(
    z.string(),
    z
      .object({ parent: parentSchema, message: messageSchema.nullish().catch(null) })
      .catch({ parent: null, message: null }),
  ),
  current_node: parentSchema,
  is_archived: z.boolean().nullish(),
})
/** The same tree as in the export: what's read of a message may differ in the next version. */
const rawMappingSchema = z.object({ mapping: z.record(z.string(), z.unknown()) })
const pictureSchema = z.object({ content_type: z.literal('image_asset_pointer'), asset_pointer: z.string() })
const referenceSchema = z.object({
  matched_text: textSchema,
  alt: textSchema,
  prompt_text: textSchema,
  name: textSchema,
})
const fileReferenceSchema = z.object({
  name: z.string().min(1),
  input_pointer: z.object({ message_index: z.number(), file_index: z.number() }),
})
const citationSchema = z.object({
  start_ix: z.number().int().min(0),
  end_ix: z.number().int().min(0),
  metadata: z.object({ title: textSchema, url: textSchema, name: textSchema }),
})
const thoughtSchema = z.object({ summary: textSchema, content: textSchema })
const chartSchema = z.object({ message_type: z.literal('image'), image_url: z.string() })
const attachmentSchema = z.object({ name: z.string().min(1), mime_type: textSchema, mimeType: textSchema })
const newDocumentSchema = z.object({ name: textSchema, type: textSchema, content: z.string() })
const changesSchema = z.object({ updates: z.array(z.object({ replacement: z.string() })) })
const transcriptionSchema = z.object({ content_type: z.literal('audio_transcription'), text: z.string() })

/** Id of a picture: `file-service://file-AbC` and `sediment://file_00ab` are prefixes of file names. */
const ASSET = /(file[-_][A-Za-z0-9]+)/
const CONVERSATIONS = /(^|\/)conversations(-\d+)?\.json$/
/** Original names of the files, since 2026; the files themselves are named by their ids. */
const ASSET_NAMES = /(^|\/)conversation_asset_file_names\.json$/
const assetNamesSchema = z.record(z.string(), z.string())

/** Picture files of an archive by their ids, with their original names. */
type Assets = ReadonlyMap<string, { entry: string; name: string }>

/** ChatGPT: conversations.json with a tree per conversation, and picture files. */
export async function* readChatGpt(files: ArchiveFiles): AsyncGenerator<ArchiveEntry> {
  const assets = await readAssets(files)
  for await (const entry of listedValues(files, CONVERSATIONS)) yield readEntry(entry, assets)
}

async function readAssets(files: ArchiveFiles): Promise<Assets> {
  const names = files.names()
  const namesFile = names.length === 1 ? undefined : names.find((name) => ASSET_NAMES.test(name))
  const originalNames = namesFile === undefined ? null : await readOriginalNames(files, namesFile)
  return new Map(
    names.map((entry) => {
      const file = basename(entry)
      return [assetIdOf(file), { entry, name: basename(originalNames?.get(file) ?? '') || file }]
    }),
  )
}

/** Original names by file; those before the damage when the list is damaged, since the conversations don't need them. */
async function readOriginalNames(files: ArchiveFiles, namesFile: string): Promise<ReadonlyMap<string, string>> {
  const originalNames = new Map<string, string>()
  try {
    for await (const value of jsonValues(files.pieces(namesFile)))
      for (const [file, name] of Object.entries(assetNamesSchema.safeParse(value).data ?? {}))
        originalNames.set(file, name)
  } catch (error) {
    if (!(error instanceof ArchiveProblem)) throw error
  }
  return originalNames
}

/** Id of the asset in a file name or a pointer: its known form, or else the name without its extension. */
function assetIdOf(pointer: string): string {
  const name = basename(pointer)
  return ASSET.exec(name)?.[1] ?? name.replace(/\.[^.]*$/, '')
}

function readEntry(entry: unknown, assets: Assets): ArchiveEntry {
  const read = conversationSchema.safeParse(entry)
  if (!read.success) return { unreadable: nameOf(entry) }
  const { title, create_time: createdAt, update_time: updatedAt, mapping, current_node: currentNode } = read.data
  const sourceId =
    read.data.conversation_id ?? read.data.id ?? idFrom(title, createdAt, rawMappingSchema.parse(entry).mapping)
  const nodes = Object.entries(mapping).map(([id, { parent, message }]): TreeNode => {
    if (!message) return { id, parentId: parent, message: null }
    // The output of a program belongs where its code is.
    const caller = message.author.role === 'tool' && parent !== null ? mapping[parent]?.message : null
    const isInReasoning = isReasoning(message) || (caller != null && isReasoning(caller))
    return {
      id,
      parentId: parent,
      message: readMessage(message, isInReasoning, assets),
      reasoning: reasoningOf(message, isInReasoning),
    }
  })
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
/** Position of a file in a mark that quotes it. */
const FILE_POSITION = /^turn(\d+)file(\d+)/
/** Delimiters of passages, of marks that were cut, and of what they contain. */
const DELIMITERS = /[\uE200-\uE20F]/g
/** Previous format of a source's mark, where the source is unknown: `4†source` in lenticular brackets. */
const UNKNOWN_SOURCE = /\u3010(?:\d{1,9}(?::\d{1,9})?\u2020[^\u3010\u3011]{0,500}|oaicite:\d{1,9})\u3011/g

/** Mark of a source, in the current format and the previous one. */
const SOURCE_MARK = /(\uE200[^\uE200\uE201]*\uE201|\u3010[^\u3010\u3011]*\u3011)/
const BEGINS_AS_MARK = /^[\uE200\u3010]/
/** Maximum characters of a mark in the previous format. */
const MAX_MARK_CHARACTERS = 500
/** Maximum number of marks in a row that are taken together for one source. */
const MAX_MARKS_OF_SOURCE = 8
/** Maximum characters of links for each character of a text and its sources: a damaged file may repeat a mark endlessly. */
const MAX_GROWTH = 4

type Message = z.output<typeof messageSchema>
type Metadata = Message['metadata']

/** An answer's text, with links in place of the marks of its sources. */
function withSources(text: string, metadata: Metadata): string {
  const { links, files } = sourcesOf(text, metadata)
  const linkCharacters = [...links.values()].flatMap(({ list }) => list).reduce((sum, link) => sum + link.length, 0)
  let remainingCharacters = MAX_GROWTH * (text.length + linkCharacters)
  // marks are at odd indexes, the texts between them at even ones
  const parts = text.split(SOURCE_MARK)
  let linked = parts[0] ?? ''
  for (let index = 1; index < parts.length; index += 2) {
    const { source, last } = longestSource(parts, index, links)
    const link = nextLink(links.get(source)) ?? source
    remainingCharacters -= link.length
    linked += (remainingCharacters < 0 ? '' : link) + (parts[last + 1] ?? '')
    index = last
  }
  return linked
    .replaceAll(MARK, (mark) => markText(mark, files))
    .replaceAll(UNKNOWN_SOURCE, '')
    .replaceAll(DELIMITERS, '')
}

/** Text in place of a mark without a reference: the name of a person, place, work, page or file; '' for others. */
function markText(mark: string, files: ReadonlyMap<string, string>): string {
  const [kind = '', first = '', second = ''] = mark.slice(1, -1).split('\uE202')
  if (/^(?:product_)?entity$/.test(kind))
    return z.tuple([z.unknown(), z.string()], z.unknown()).safeParse(jsonOf(first)).data?.[1] ?? ''
  if (kind === 'url') return sourceLink({ title: first, url: second }) || first
  return kind === 'filecite' ? fileName(files.get(FILE_POSITION.exec(first)?.slice(1).join() ?? '')) : ''
}

/** Links of a mark in the order of its occurrences, and the number of those already taken. */
interface MarkLinks {
  list: string[]
  taken: number
}

/** Takes the next of a mark's links; the last one stays. */
function nextLink(links: MarkLinks | undefined): string | undefined {
  if (links === undefined) return undefined
  const link = links.list[links.taken]
  if (links.taken + 1 < links.list.length) links.taken += 1
  return link
}
const fileName = (name: string | undefined): string => (name ? `(*${name}*)` : '')

/** Links of an answer's sources by their marks, one for each occurrence, and names of its files by their positions. */
function sourcesOf(text: string, metadata: Metadata): { links: Map<string, MarkLinks>; files: Map<string, string> } {
  const links = new Map<string, MarkLinks>()
  const files = new Map<string, string>()
  const addLink = (mark: string, link: string) => {
    if (!BEGINS_AS_MARK.test(mark)) return
    const known = links.get(mark)
    if (known === undefined) links.set(mark, { list: [link], taken: 0 })
    else known.list.push(link)
  }
  for (const reference of metadata?.content_references ?? []) {
    const file = fileReferenceSchema.safeParse(reference).data
    if (file) files.set(`${file.input_pointer.message_index},${file.input_pointer.file_index}`, file.name)
    const { matched_text: mark = '', alt, prompt_text, name } = referenceSchema.safeParse(reference).data ?? {}
    const link = alt || (/^\(?\[/.test(prompt_text ?? '') ? prompt_text : '') || fileName(name)
    // A link without an address is replaced by its name.
    addLink(mark.trim(), (link ?? '').replaceAll(/\[([^[\]]*)\]\(\)/g, '$1'))
  }
  const citations = (metadata?.citations ?? []).flatMap((citation) => citationSchema.safeParse(citation).data ?? [])
  if (citations.length > 0 && text.includes('\u3010')) {
    // positions are those of characters, not of UTF-16 units
    const characters = [...text]
    for (const { start_ix: start, end_ix: end, metadata: source } of citations) {
      if (end - start > MAX_MARK_CHARACTERS) continue
      const { title, url, name } = source
      const link = sourceLinks([{ title, url }]) || fileName(name || title)
      const isApart = link === '' || /^\s?$/.test(characters[start - 1] ?? '')
      addLink(characters.slice(start, end).join(''), isApart ? link : ` ${link}`)
    }
  }
  return { links, files }
}

/** The longest known source that begins with a mark: some sources are several marks with blanks between them. */
function longestSource(
  parts: string[],
  index: number,
  links: ReadonlyMap<string, unknown>,
): { source: string; last: number } {
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
function documentOf({ recipient, content }: Message): string | null {
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

/** Beginning of a part of an answer that ChatGPT shows in a frame, such as a letter, and its end. */
const FRAME_BEGINS = /^:::(?:contextList|writing)(?:\{([^\n}]*)\}|(?=\s|$))(.*)$/
const FRAME_ENDS = /^:::[ \t]*$/
const FRAME_TITLE = /[ \t](?:subject|title)="([^"]*)"/

/** An answer's text without the marks of frames; a letter's subject and a document's title stay. */
function withoutFrames(text: string): string {
  if (!text.includes(':::')) return text
  let isFramed = false
  const lines = text.split('\n').flatMap((line) => {
    const begins = FRAME_BEGINS.exec(line)
    if (begins !== null) {
      isFramed = true
      const title = FRAME_TITLE.exec(begins[1] ?? '')?.[1] ?? ''
      const text = begins[2]?.trim() ?? ''
      return [...(title === '' ? [] : [`*${title}*`, '']), ...(text === '' ? [] : [text])]
    }
    if (!(isFramed && FRAME_ENDS.test(line))) return [line]
    isFramed = false
    return []
  })
  return lines.join('\n')
}

/** Code that a message runs, or its output, which ChatGPT shows folded; null for other messages. */
function runOf({ author, recipient, content }: Message): string | null {
  const isCode = content.content_type === 'code' && /^python(?:_user_visible)?$/.test(recipient ?? '')
  const isOutput = content.content_type === 'execution_output' && author.role === 'tool'
  if (!(isCode || isOutput) || typeof content.text !== 'string' || content.text.trim() === '') return null
  return documentText({ title: '', language: isCode ? 'python' : '', text: content.text })
}

/** True for a message of the model's reasoning. */
const isReasoning = ({ channel, metadata }: Message) =>
  channel === 'analysis' || metadata?.reasoning_status === 'is_reasoning'

/** Reasoning in a message of its own; null for other messages. */
function reasoningOf(message: Message, isInReasoning: boolean): string | null {
  const { author, content } = message
  const run = isInReasoning ? runOf(message) : null
  if (run !== null) return run
  if (content.content_type !== 'thoughts' || author.role !== 'assistant') return null
  const thoughts = (content.thoughts ?? []).flatMap((thought) => thoughtSchema.safeParse(thought).data ?? [])
  const texts = thoughts.flatMap(({ summary, content: text }) => [summary.trim(), text.trim()])
  return texts.filter((text) => text !== '').join('\n\n') || null
}

/** Converts a message; null for one that ChatGPT hides, such as instructions and most tool calls and results. */
function readMessage(message: Message, isInReasoning: boolean, assets: Assets): TreeNode['message'] {
  const { author, content, metadata, recipient, create_time: createdAt } = message
  const isHidden = metadata?.is_visually_hidden_from_conversation === true
  const run = isInReasoning || isHidden ? null : runOf(message)
  const document = documentOf(message) ?? run
  const isShown = document !== null || (!isHidden && (recipient ?? 'all') === 'all')
  const isKnownKind = /^(?:text|multimodal_text|execution_output)$/.test(content.content_type)
  if (!isShown || (!isKnownKind && document === null)) return null
  const texts: string[] = []
  const pictures: PictureReference[] = []
  const addPicture = (pointer: string) => {
    const id = assetIdOf(pointer)
    const asset = id === '' ? undefined : assets.get(id)
    pictures.push({ name: asset?.name ?? id, entry: asset?.entry ?? null })
  }
  for (const part of document === null ? (content.parts ?? []) : []) {
    const picture = pictureSchema.safeParse(part)
    const transcription = transcriptionSchema.safeParse(part)
    if (typeof part === 'string') texts.push(part)
    else if (transcription.success) texts.push(transcription.data.text)
    else if (picture.success) addPicture(picture.data.asset_pointer)
  }
  for (const output of metadata?.aggregate_result?.messages ?? []) {
    const chart = chartSchema.safeParse(output).data
    if (chart !== undefined) addPicture(chart.image_url)
  }
  // Pictures aren't listed by name, since they're shown.
  const names = (metadata?.attachments ?? []).flatMap((attachment) => {
    const { name, mime_type: type, mimeType } = attachmentSchema.safeParse(attachment).data ?? {}
    return name === undefined || (type || mimeType)?.startsWith('image/') ? [] : [`*${name}*`]
  })
  const ownText = texts.join('\n\n')
  // Users' own texts have no marks, only characters that look like some.
  const linkedText = author.role === 'user' ? ownText : withoutFrames(withSources(ownText, metadata))
  const text = [document ?? linkedText, ...names]
    .filter((one) => one !== '')
    .join('\n\n')
    .trim()
  // A tool's message is only kept for its pictures and for what its program printed.
  const isSilent = author.role === 'tool' && run === null
  if (!['user', 'assistant', 'tool'].includes(author.role) || (pictures.length === 0 && (isSilent || text === '')))
    return null
  return {
    role: author.role === 'user' ? 'user' : 'assistant',
    content: isSilent ? '' : text,
    createdAt,
    model: author.role === 'user' ? null : (metadata?.model_slug ?? null),
    reasoning: null,
    pictures,
  }
}
