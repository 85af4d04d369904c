import { createHash, randomUUID } from 'node:crypto'
import type { Role } from '@mira/shared'
import bcrypt from 'bcrypt'
import type { Database } from '../src/platform/database/client.ts'
import type { MediaItemModel } from '../src/platform/database/generated/models/MediaItem.ts'

/** Password of every account that tests create; hard to guess. */
export const TEST_PASSWORD = 'violet-harbour-teapot-91'

const passwordHash = bcrypt.hashSync(TEST_PASSWORD, 4)

type Prisma = Pick<Database, 'prisma'>

/** Fields of a new account that matter to a test. */
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

function userRow(traits: UserTraits) {
  const username = traits.username ?? `user-${randomUUID().slice(0, 8)}`
  return {
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
  }
}

/** Adds an administrator with the notification that a restore leaves. */
export async function insertRestoreNotification(database: Prisma): Promise<void> {
  const { id } = await insertUser(database, { username: 'admin', role: 'admin' })
  await database.prisma.notification.create({ data: { userId: id, kind: 'instance_restored', params: {} } })
}

/** Stores a user with a unique name who may chat, unless the traits say otherwise. */
export function insertUser({ prisma }: Prisma, traits: UserTraits = {}) {
  return prisma.user.create({ data: userRow(traits) })
}

/** Stores users with these traits, each with a session, in two statements. */
export async function insertSignedInUsers({ prisma }: Prisma, traits: UserTraits, count: number) {
  const data = Array.from({ length: count }, () => userRow(traits))
  const users = await prisma.user.createManyAndReturn({ data, select: { id: true } })
  return prisma.authSession.createManyAndReturn({
    data: users.map(({ id }) => sessionRow(id)),
    select: { id: true, userId: true },
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

/** Stores a chain of messages ("Message 0", …) in a conversation, and makes it the current branch. */
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

/** Stores a user with most of all messages, and updates the planner's statistics. @returns their id. */
export async function insertUserWithMostMessages(
  database: Pick<Database, 'prisma' | 'pool'>,
  count = 1000,
): Promise<string> {
  const { id } = await insertUser(database)
  const { session } = await insertChatSession(database, id)
  await insertMessages(database, session.id, count)
  await database.pool.query('ANALYZE chat_messages')
  return id
}

/** Stores a session of a user, as if they had signed in elsewhere. */
export function insertAuthSession({ prisma }: Prisma, userId: string) {
  return prisma.authSession.create({ data: sessionRow(userId) })
}

/** Stores sessions of a user in one statement. */
export function insertAuthSessions({ prisma }: Prisma, userId: string, count: number) {
  const data = Array.from({ length: count }, () => sessionRow(userId))
  return prisma.authSession.createManyAndReturn({ data, select: { id: true, userId: true } })
}

function sessionRow(userId: string) {
  return { userId, userAgent: 'another browser', expiresAt: new Date(Date.now() + 24 * 60 * 60 * 1000) }
}

/** Stores a personal API token of a user; its secret is unknown. */
export function insertApiToken({ prisma }: Prisma, userId: string) {
  return prisma.apiToken.create({ data: { userId, name: 'a script', secretHash: '0'.repeat(64) } })
}

/** Stores a passkey of a user; no device has its private key. */
export function insertPasskey({ prisma }: Prisma, userId: string) {
  const names = { credentialId: randomUUID(), relyingPartyId: 'localhost', name: 'a phone' }
  return prisma.passkey.create({ data: { userId, publicKey: new Uint8Array([1]), ...names } })
}

/** Stores a user's OAuth grant to a program. */
export async function insertProgram({ prisma }: Prisma, userId: string) {
  const redirectUri = 'https://program.example/back'
  const client = await prisma.oauthClient.create({
    data: { clientId: randomUUID(), name: 'a program', redirectUris: [redirectUri] },
  })
  const code = { codeHash: '00', codeChallenge: '', codeExpiresAt: new Date() }
  const grant = { userId, clientId: client.id, scopes: ['read'], resource: 'https://mira.example/mcp', redirectUri }
  return prisma.oauthGrant.create({ data: { ...grant, ...code, codeExchangedAt: new Date() } })
}

/** Columns of a stored file that doesn't exist. */
function fileFields(ownerId: string) {
  const sha256 = createHash('sha256').update(randomUUID()).digest('hex')
  return { sha256, path: `${ownerId}/${sha256.slice(0, 2)}/${sha256}`, contentType: 'image/png', sizeBytes: 1000 }
}

/** Stores an image of a user's message, without its file. */
export function insertPicture({ prisma }: Prisma, userId: string, messageId: string, position = 0) {
  const name = `picture-${position + 1}.png`
  return prisma.chatMessageImage.create({
    data: { messageId, position, name, width: 6, height: 4, ...fileFields(userId) },
  })
}

/** Stores a media item of a user, by default an image, without its file. */
export async function insertMediaItem(
  { prisma }: Prisma,
  userId: string,
  traits: Partial<
    Pick<
      MediaItemModel,
      | 'mediaType'
      | 'contentType'
      | 'sizeBytes'
      | 'durationSeconds'
      | 'processingStatus'
      | 'createdAt'
      | 'takenAt'
      | 'originalFilename'
      | 'tags'
      | 'caption'
      | 'path'
      | 'sha256'
    >
  > = {},
) {
  const { takenAt: metadataTakenAt = null, ...others } = traits
  const item = await prisma.mediaItem.create({
    data: {
      userId,
      mediaType: 'image',
      originalFilename: 'a picture.png',
      ...fileFields(userId),
      metadataTakenAt,
      ...others,
    },
  })
  return { ...item, userId }
}

/** Stores a partial upload that hasn't received any bytes. */
export function insertPartialUpload({ prisma }: Prisma, userId: string) {
  const expiresAt = new Date(Date.now() + 3_600_000)
  const id = randomUUID()
  return prisma.partialUpload.create({ data: { id, userId, originalFilename: 'film.mp4', sizeBytes: 1000, expiresAt } })
}

export function insertEffectImage({ prisma }: Prisma, userId: string) {
  const { path, sha256 } = fileFields(userId)
  const recipe = [{ effect_name: 'sepia', intensity: 1 }]
  const size = { sizeBytes: 5, width: 4, height: 3 }
  return prisma.effectImage.create({
    data: { userId, effectName: 'sepia', recipe, sourceFilename: 'a picture.png', path, sha256, ...size },
  })
}

export function insertEffectRecipe({ prisma }: Prisma, userId: string) {
  return prisma.effectRecipe.create({
    data: { userId, name: `a recipe ${randomUUID()}`, steps: [{ effect_name: 'sepia', intensity: 1 }] },
  })
}

/** Stores an MCP server that a user connected for themselves. */
export function insertMcpServer({ prisma }: Prisma, userId: string) {
  const data = { userId, name: 'Own', url: 'https://example.org/mcp', audience: 'chosen', userIds: [userId] }
  return prisma.mcpServer.create({ data })
}

/** Stores a hook of a user. */
export function insertHook({ prisma }: Prisma, userId: string) {
  const data = { userId, name: '', url: 'https://example.org/', events: ['media.done'], sealedSecret: '' }
  return prisma.hook.create({ data })
}

/** Stores a reminder of a user that is due tomorrow. */
export function insertReminder({ prisma }: Prisma, userId: string) {
  const dueAt = new Date(Date.now() + 24 * 60 * 60 * 1000)
  return prisma.reminder.create({ data: { userId, text: 'a reminder', dueAt, timeZone: 'UTC' } })
}

/** Stores a link to a conversation as it is now. */
export function insertShare({ prisma }: Prisma, userId: string, ids: { sessionId: string; untilMessageId: string }) {
  return prisma.share.create({ data: { userId, kind: 'conversation', title: 'Shared', ...ids } })
}

/** Stores a completed import without items. */
export function insertImport({ prisma }: Prisma, userId: string) {
  return prisma.import.create({ data: { userId, source: 'chatgpt', name: 'export.zip', state: 'done' } })
}

export function insertPersona({ prisma }: Prisma, userId: string) {
  return prisma.persona.create({ data: { userId, name: 'A butler' } })
}

export function insertProject({ prisma }: Prisma, userId: string) {
  return prisma.project.create({ data: { userId, name: 'A house' } })
}

export function insertPrompt({ prisma }: Prisma, userId: string) {
  return prisma.prompt.create({
    data: { userId, title: 'A letter', command: `letter-${randomUUID()}`, text: 'Write to {{name}}.' },
  })
}

export function insertFact({ prisma }: Prisma, userId: string) {
  return prisma.fact.create({ data: { userId, text: 'I drink green tea.' } })
}

/** Fields of a moment that matter to a test. */
export interface MomentTraits {
  kind?: 'caption' | 'text' | 'speech' | 'name'
  body?: string
  position?: number
  frameNumber?: number
  page?: number
  startSeconds?: number
  endSeconds?: number
  /** Text search configuration of its language. */
  language?: string
}

/** Stores a moment of an item. */
export async function insertMoment(
  { prisma, pool }: Pick<Database, 'prisma' | 'pool'>,
  { id: mediaItemId, userId }: Pick<MediaItemModel, 'id' | 'userId'>,
  { language = 'english', ...traits }: MomentTraits = {},
) {
  const moment = await prisma.moment.create({
    data: { mediaItemId, userId, kind: 'caption', body: 'A lighthouse', position: 0, engine: 'built-in', ...traits },
  })
  await pool.query('UPDATE moments SET lang = $2::text::regconfig WHERE id = $1', [moment.id, language])
  return moment
}

/** Stores a search of a user. */
export function insertSearch({ prisma }: Prisma, userId: string) {
  return prisma.activity.create({
    data: { userId, kind: 'search', detail: { action: 'searched', query: 'a lighthouse' } },
  })
}

/** Stores a call of the CalculatorAgent. */
export function insertAgentRun({ prisma }: Prisma, userId: string, input = '15% of 80') {
  const fields = { input, output: '= **12**', outcome: 'completed', durationMs: 3, origin: 'page' }
  return prisma.agentRun.create({ data: { userId, agentName: 'CalculatorAgent', ...fields } })
}
