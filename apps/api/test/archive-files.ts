import type { ArchiveFiles } from '../src/parsers/chat-archives/archive-files.ts'
import type { ArchiveKind, TreeConversation } from '../src/parsers/chat-archives/chat-archives.ts'

/** Unpacked archive with JSON files or bytes, by name. */
function archiveFiles(files: Record<string, unknown>): ArchiveFiles {
  return {
    names: () => Object.keys(files),
    willRead: () => undefined,
    sizeOf: () => 0,
    async *pieces(name) {
      const file = files[name]
      yield Buffer.isBuffer(file) ? file : Buffer.from(JSON.stringify(file))
    },
    close: () => undefined,
  }
}

/** Conversations that a reader finds in an archive with these files. */
export async function conversationsIn(kind: ArchiveKind, files: Record<string, unknown>): Promise<TreeConversation[]> {
  const conversations: TreeConversation[] = []
  for await (const entry of kind(archiveFiles(files), '')) {
    if ('conversation' in entry) conversations.push(entry.conversation)
  }
  return conversations
}

/** Messages of a conversation's displayed branch. */
export function displayedMessages({ messages, currentId }: TreeConversation): TreeConversation['messages'] {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const branch: TreeConversation['messages'] = []
  for (let id = currentId; id !== null; ) {
    const message = byId.get(id)
    if (message === undefined) throw new Error(`There is no message ${id}`)
    branch.unshift(message)
    id = message.parentId
  }
  return branch
}
