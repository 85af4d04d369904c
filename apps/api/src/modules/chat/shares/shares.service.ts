import { timingSafeEqual } from 'node:crypto'
import type { PictureSize, PublicShare, Share, SharesResponse } from '@mira/shared'
import { ConflictError, NotFoundError, ValidationError } from '../../../errors.ts'
import type { PictureFile } from '../../../parsers/image/picture-files.ts'
import type { ShareModel } from '../../../platform/database/generated/models/Share.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { cutPage, type PageQuery, readTimeCursor, writeTimeCursor } from '../../../platform/lib/page.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { conversationNotFound } from '../conversations/present.ts'
import type { ForeignConversationsService } from '../imported/foreign-conversations.service.ts'
import type { PicturesService } from '../pictures/pictures.service.ts'
import type { SharedRow, SharesStore } from './shares.store.ts'

interface SharesDeps {
  store: SharesStore
  /** Derives the secret half of a token, so that it needn't be stored. */
  seal: Seal
  pictures: PicturesService
  foreignConversations: ForeignConversationsService
  settings: SettingsReader
}

export type SharesService = ReturnType<typeof createSharesService>

const MAX_SHARES = 500
const ID_BYTES = 16
/** Messages to read at a time when copying a shared conversation. */
const COPY_BATCH = 200
const MAX_COPIED_MESSAGES = 20_000

const notFound = () => new NotFoundError('This link doesn’t work any more. Ask for a new one.', { code: 'share_over' })

/** Conversations that anyone with a link may read, in their state at the time of sharing. */
export function createSharesService({ store, seal, pictures, foreignConversations, settings }: SharesDeps) {
  const tokenOf = (id: string) =>
    `${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')}.${seal.fingerprint(id)}`

  /** @throws NotFoundError when the link never existed, was revoked or has expired */
  const open = async (token: string): Promise<ShareModel> => {
    const [head = '', secret = ''] = token.split('.')
    const bytes = Buffer.from(head, 'base64url')
    if (bytes.length !== ID_BYTES) throw notFound()
    const id = bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    const [secretBytes, expectedBytes] = [Buffer.from(secret), Buffer.from(seal.fingerprint(id))]
    if (secretBytes.length !== expectedBytes.length || !timingSafeEqual(secretBytes, expectedBytes)) throw notFound()
    const share = await store.findOpen(id, new Date())
    if (share === null) throw notFound()
    return share
  }

  const present = (row: ShareModel): Share => {
    const token = tokenOf(row.id)
    return {
      id: row.id,
      kind: 'conversation',
      subject_id: row.sessionId,
      title: row.title,
      token,
      url: `/s/${token}`,
      created_at: row.createdAt,
      expires_at: row.expiresAt,
    }
  }

  /** Messages of a branch, oldest first; for a long branch, only the last ones, roughly `MAX_COPIED_MESSAGES`. */
  const allMessages = async (untilMessageId: string): Promise<SharedRow[]> => {
    const all: SharedRow[] = []
    for (;;) {
      const batch = await store.messages(untilMessageId, COPY_BATCH, all.at(-1)?.id ?? null)
      all.push(...batch)
      if (batch.length < COPY_BATCH || all.length >= MAX_COPIED_MESSAGES) return all.reverse()
    }
  }

  return {
    /**
     * Creates a link to the currently shown branch.
     * @throws NotFoundError when the conversation isn't the user's; ConflictError while an answer is in progress, or when there
     *   are too many links; ValidationError when the conversation is empty, or the link would expire in the past
     */
    async create(userId: string, options: { id: string; expires_at?: Date | null | undefined }): Promise<Share> {
      const shownBranch = await store.findShown(userId, options.id)
      if (shownBranch === null) throw conversationNotFound()
      const { title, messageId: untilMessageId } = shownBranch
      if (untilMessageId === null)
        throw new ValidationError('There’s nothing in this conversation to share yet.', { code: 'nothing_to_share' })
      if (shownBranch.state === 'streaming') {
        throw new ConflictError('An answer is still in progress in this conversation. Share it once it’s complete.', {
          code: 'answer_running',
        })
      }
      const expiresAt = options.expires_at ?? null
      if (expiresAt !== null && expiresAt <= new Date()) {
        const message = 'Choose a time in the future.'
        throw new ValidationError(message, { errors: [{ path: 'expires_at', message }] })
      }
      const row = await store.add(
        { id: newId(), userId, sessionId: options.id, title, untilMessageId, expiresAt },
        MAX_SHARES,
      )
      if (row !== null) return present(row)
      throw new ConflictError(`You can have at most ${MAX_SHARES} links. Revoke some first.`, {
        code: 'too_many_shares',
      })
    },

    /** The user's links, newest first. @throws ValidationError for a cursor of another list */
    async list(
      userId: string,
      { limit, cursor, subject_id: sessionId }: PageQuery & { subject_id?: string | undefined },
    ): Promise<SharesResponse> {
      const rows = await store.list(userId, { limit: limit + 1, after: readTimeCursor(cursor), sessionId })
      const { items, nextCursor } = cutPage(rows, limit, writeTimeCursor)
      return { shares: items.map(present), next_cursor: nextCursor }
    },

    /** Deletes a link. @throws NotFoundError */
    async revoke(userId: string, id: string): Promise<void> {
      if (!(await store.remove(userId, id))) throw new NotFoundError('This link no longer exists.')
    },

    /** Content for anyone with the link. @throws NotFoundError */
    async read(token: string, { limit, before }: { limit: number; before?: string | undefined }): Promise<PublicShare> {
      const share = await open(token)
      const rows = (await store.messages(share.untilMessageId, limit, before ?? null)).reverse()
      const picturesOf = await pictures.present(
        share.userId,
        rows.map(({ id }) => id),
      )
      const [oldest] = rows
      return {
        kind: 'conversation',
        title: share.title,
        assistant_name: settings.current().assistant_name,
        created_at: share.createdAt,
        expires_at: share.expiresAt,
        messages: rows.map((row) => ({
          id: row.id,
          role: row.role,
          content: row.content,
          created_at: row.createdAt,
          model_used: row.modelUsed,
          images: (picturesOf.get(row.id) ?? []).map(({ name, width, height }, n) => {
            const path = `/api/public/shares/${token}/images/${row.id}/${n}`
            return { url: path, thumbnail: `${path}?size=thumbnail`, name, width, height }
          }),
          sources: row.sources.map(({ n, title }) => ({ n, title })),
        })),
        previous_cursor: oldest !== undefined && oldest.parentId !== null ? oldest.id : null,
      }
    },

    /** A picture of a shared conversation. @throws NotFoundError */
    async picture(token: string, messageId: string, position: number, size: PictureSize): Promise<PictureFile> {
      const share = await open(token)
      if (!(await store.isInBranch(share.untilMessageId, messageId))) throw notFound()
      return pictures.file(share.userId, messageId, position, size)
    },

    /** Copies a shared conversation for the caller. @throws NotFoundError, StorageFullError */
    async copyFor(userId: string, token: string): Promise<{ session_id: string }> {
      const share = await open(token)
      const rows = await allMessages(share.untilMessageId)
      const picturesOf = await pictures.present(
        share.userId,
        rows.map(({ id }) => id),
      )
      const copied = await foreignConversations.importOne(userId, {
        title: share.title,
        createdAt: new Date(),
        updatedAt: new Date(),
        currentId: share.untilMessageId,
        messages: rows.map((row) => ({
          id: row.id,
          parentId: row.parentId,
          role: row.role,
          content: row.content,
          createdAt: row.createdAt,
          model: row.modelUsed,
          reasoning: null,
          pictures: (picturesOf.get(row.id) ?? []).map(({ name }, n) => ({
            name,
            read: async () => bytesOf(await pictures.file(share.userId, row.id, n, 'original')),
          })),
        })),
      })
      return { session_id: copied.sessionId }
    },
  }
}

async function bytesOf(file: PictureFile): Promise<Buffer<ArrayBuffer>> {
  const { sizeBytes, read } = await file.open()
  const content = await read({ start: 0, end: sizeBytes - 1 })
  if (content instanceof Uint8Array) return Buffer.from(content)
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece as Uint8Array)
  return Buffer.concat(pieces)
}
