import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type ArchiveFiles, ArchiveProblem } from '../archive-files.ts'
import {
  type ArchiveEntry,
  idSchema,
  modelSchema,
  nameOf,
  parentSchema,
  type TreeConversation,
  textSchema,
  timestampSchema,
} from '../chat-archives.ts'
import { messagesOfTree, type TreeNode } from '../conversation-tree.ts'
import { jsonValues } from '../json-values.ts'

const sessionSchema = z.object({
  id: idSchema,
  session_name: textSchema,
  current_message_id: parentSchema,
  created_at: timestampSchema,
  updated_at: timestampSchema,
  // older exports have none of these
  tags: z.array(z.string()).catch([]),
  archived_at: z.string().nullish(),
  project_id: parentSchema,
  persona_id: parentSchema,
})
const imageSchema = z.object({ id: idSchema, name: textSchema, position: z.number() })
const messageSchema = z.object({
  id: idSchema,
  session_id: idSchema,
  parent_id: parentSchema,
  role: z.enum(['user', 'assistant']),
  content: textSchema,
  created_at: timestampSchema,
  model_used: modelSchema,
  reasoning: textSchema,
  images: z.array(imageSchema).default([]),
})
type Message = z.output<typeof messageSchema>

const SESSIONS = 'data/chat_sessions.json'
const MESSAGES = 'data/chat_messages.json'
const belongingFiles = [
  { kind: 'project', name: 'data/projects.json' },
  { kind: 'persona', name: 'data/personas.json' },
  { kind: 'prompt', name: 'data/prompts.json' },
] as const

/**
 * Mira's own export: projects, personas and prompts, then the messages of all conversations in one chronological list.
 */
export async function* readMira(files: ArchiveFiles, folder: string): AsyncGenerator<ArchiveEntry> {
  const names = files.names()
  if (!names.includes(SESSIONS) || !names.includes(MESSAGES)) {
    throw new ArchiveProblem('other_source', 'it has no conversations of Mira')
  }
  const pictures = new Map(
    names.flatMap((name) => {
      const [top, kind, id] = name.split('/')
      return top === 'files' && kind === 'chat' && id !== undefined ? [[id, name] as const] : []
    }),
  )
  files.willRead([MESSAGES, SESSIONS])
  for (const { kind, name } of belongingFiles.filter((file) => names.includes(file.name))) {
    for await (const row of jsonValues(files.pieces(name))) {
      if (typeof row === 'object' && row !== null) yield { belonging: { kind, row: row as Record<string, unknown> } }
    }
  }
  const spool = await openSpool(join(folder, 'messages.spool'))
  try {
    const ranges = new Map<string, SpoolRange[]>()
    for await (const row of jsonValues(files.pieces(MESSAGES))) {
      const read = messageSchema.safeParse(row)
      if (!read.success) throw new ArchiveProblem('damaged_archive', 'a message is invalid')
      const range = await spool.write(read.data)
      const sessionRanges = ranges.get(read.data.session_id)
      if (sessionRanges === undefined) ranges.set(read.data.session_id, [range])
      else sessionRanges.push(range)
    }
    for await (const row of jsonValues(files.pieces(SESSIONS))) {
      const read = sessionSchema.safeParse(row)
      if (!read.success) {
        yield { unreadable: nameOf(row) }
        continue
      }
      const nodes: TreeNode[] = []
      for (const range of ranges.get(read.data.id) ?? []) nodes.push(nodeOf(await spool.read(range), pictures))
      yield { conversation: conversationOf(read.data, nodes) }
    }
  } finally {
    await spool.close()
  }
}

function conversationOf(session: z.output<typeof sessionSchema>, nodes: TreeNode[]): TreeConversation {
  const { id: sourceId, session_name: title, created_at: createdAt, updated_at: updatedAt } = session
  const { tags, archived_at, project_id: projectId, persona_id: personaId } = session
  const place = { tags, isArchived: typeof archived_at === 'string', projectId, personaId }
  return {
    sourceId,
    title,
    createdAt,
    updatedAt,
    place,
    ...messagesOfTree(nodes, session.current_message_id),
  }
}

function nodeOf(message: Message, pictures: Map<string, string>): TreeNode {
  const { id, parent_id: parentId, role, content, created_at: createdAt, model_used: model, reasoning } = message
  const namedPictures = message.images
    .sort((one, other) => one.position - other.position)
    .map((image) => ({ name: image.name, entry: pictures.get(image.id) ?? null }))
  return {
    id,
    parentId,
    message: {
      role,
      content,
      createdAt,
      model,
      reasoning: reasoning === '' ? null : reasoning,
      pictures: namedPictures,
    },
  }
}

interface SpoolRange {
  start: number
  length: number
}

/** Messages on disk, to be read back by conversation. */
async function openSpool(filename: string) {
  const file: FileHandle = await open(filename, 'w+')
  let end = 0
  return {
    async write(message: Message): Promise<SpoolRange> {
      const bytes = Buffer.from(JSON.stringify(message))
      await file.write(bytes, 0, bytes.length, end)
      const range = { start: end, length: bytes.length }
      end += bytes.length
      return range
    },
    async read({ start, length }: SpoolRange): Promise<Message> {
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, start)
      return JSON.parse(buffer.toString('utf8')) as Message
    },
    close: () => file.close(),
  }
}
