import { createHash, randomUUID } from 'node:crypto'
import type { Role } from '@mira/shared'
import bcrypt from 'bcrypt'
import type { Database } from '../src/db/client.ts'
import type { MediaItemModel } from '../src/db/generated/models/MediaItem.ts'

/** The password of every account that tests make; nobody guesses it. */
export const TEST_PASSWORD = 'violet-harbour-teapot-91'

const passwordHash = bcrypt.hashSync(TEST_PASSWORD, 4)

type Prisma = Pick<Database, 'prisma'>

/** What of a new account a test cares about. */
export interface UserTraits {
  username?: string
  email?: string
  full_name?: string | null
  role?: Role
  can_chat?: boolean
  can_upload?: boolean
  can_use_voice?: boolean
  can_use_agents?: boolean
  is_active?: boolean
}

/** Stores a user with a name of its own who may chat, but for the traits given. */
export function insertUser({ prisma }: Prisma, traits: UserTraits = {}) {
  const username = traits.username ?? `user-${randomUUID().slice(0, 8)}`
  return prisma.user.create({
    data: {
      username,
      email: traits.email ?? `${username}@example.org`,
      fullName: traits.full_name ?? null,
      role: traits.role ?? 'user',
      canChat: traits.can_chat ?? true,
      canUpload: traits.can_upload ?? false,
      canUseVoice: traits.can_use_voice ?? false,
      canUseAgents: traits.can_use_agents ?? false,
      isActive: traits.is_active ?? true,
      passwordHash,
    },
  })
}

/** Stores a conversation of a user: one question and its answer. */
export async function insertChatSession({ prisma }: Prisma, userId: string, name = 'A conversation') {
  const session = await prisma.chatSession.create({ data: { userId, sessionName: name } })
  const question = await prisma.chatMessage.create({
    data: { sessionId: session.id, role: 'user', content: 'What is a lighthouse for?' },
  })
  const answer = await prisma.chatMessage.create({
    data: { sessionId: session.id, parentId: question.id, role: 'assistant', content: 'It shows ships the way.' },
  })
  await prisma.chatSession.update({ where: { id: session.id }, data: { currentMessageId: answer.id } })
  return { session, question, answer }
}

/** Stores messages that follow one another from the beginning of a conversation, and shows them: "Message 0", … */
export async function insertMessages({ pool }: Pick<Database, 'pool'>, sessionId: string, count: number) {
  await pool.query(
    `WITH ids AS (SELECT n, gen_random_uuid() AS id FROM generate_series(0, $2 - 1) n), added AS (
       INSERT INTO chat_messages (id, session_id, parent_id, role, content, created_at)
       SELECT i.id, $1, p.id, CASE WHEN i.n % 2 = 0 THEN 'user' ELSE 'assistant' END, 'Message ' || i.n,
         now() - ($2 - i.n) * interval '1 second'
       FROM ids i LEFT JOIN ids p ON p.n = i.n - 1
     )
     UPDATE chat_sessions SET current_message_id = (SELECT id FROM ids ORDER BY n DESC LIMIT 1) WHERE id = $1`,
    [sessionId, count],
  )
}

/** Stores a session of a user, as if they had signed in elsewhere. */
export function insertAuthSession({ prisma }: Prisma, userId: string) {
  const expiresAt = new Date(Date.now() + 24 * 60 * 60 * 1000)
  return prisma.authSession.create({ data: { userId, userAgent: 'another browser', expiresAt } })
}

/** Stores a personal API token of a user; nobody knows its secret. */
export function insertApiToken({ prisma }: Prisma, userId: string) {
  return prisma.apiToken.create({ data: { userId, name: 'a script', secretHash: '0'.repeat(64) } })
}

/** What a row tells of a stored file; the file itself is not there. */
function fileFields(ownerId: string) {
  const sha256 = createHash('sha256').update(randomUUID()).digest('hex')
  return { sha256, path: `${ownerId}/${sha256.slice(0, 2)}/${sha256}`, contentType: 'image/png', sizeBytes: 1000 }
}

/** Stores a picture of a user's message, without its file. */
export function insertPicture({ prisma }: Prisma, userId: string, messageId: string, position = 0) {
  const name = `picture-${position + 1}.png`
  return prisma.chatMessageImage.create({
    data: { messageId, position, name, width: 6, height: 4, ...fileFields(userId) },
  })
}

/** Stores a media item of a user, a picture unless the traits say otherwise, without its file. */
export function insertMediaItem(
  { prisma }: Prisma,
  userId: string,
  traits: Partial<Pick<MediaItemModel, 'mediaType' | 'sizeBytes' | 'processingStatus' | 'createdAt'>> = {},
) {
  return prisma.mediaItem.create({
    data: { userId, mediaType: 'image', originalFilename: 'a picture.png', ...fileFields(userId), ...traits },
  })
}
