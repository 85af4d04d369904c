import type { MediaType } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { sql, sqlOf, type Transaction } from '../../../platform/database/sql.ts'
import { storableJson } from '../../../platform/lib/storable.ts'

type Tx = Prisma.TransactionClient

/** Kinds of moments that users may correct. */
export type CorrectedKind = 'caption' | 'text' | 'speech'

/** A moment that a user may correct. */
interface CorrectedMoment {
  id: string
  frameNumber: number | null
  page: number | null
  startSeconds: number | null
  endSeconds: number | null
  characterOffset: number | null
  body: string
  isLocked: boolean
}

/** A user's text for a location, short enough to search. */
export interface OwnMoment {
  kind: 'caption' | 'text'
  page: number | null
  position: number
  characterOffset: number | null
  body: string
  language: string | null
  searchConfiguration: string
}

/** New text of a transcript segment. */
export interface OwnSegment {
  id: string
  body: string
  language: string | null
  searchConfiguration: string
}

export type CorrectionsStore = ReturnType<typeof createCorrectionsStore>

const rollUpColumns = { caption: 'caption', text: 'extractedText', speech: 'transcription' } as const

/** Access to users' corrections of their items. Callers make sure that an item is the user's, mostly by `withLockedItem`. */
export function createCorrectionsStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** Runs short work in a transaction that locks the item; null when it isn't the user's. */
    async withLockedItem<T>(userId: string, itemId: string, work: (tx: Tx) => Promise<T>): Promise<T | null> {
      return prisma.$transaction(async (tx) => {
        const items = await tx.$queryRaw<unknown[]>`
          SELECT id FROM media_items WHERE id = ${itemId}::uuid AND user_id = ${userId}::uuid FOR NO KEY UPDATE`
        return items.length === 0 ? null : work(tx)
      })
    },

    setTags: async (tx: Tx, id: string, tags: string[]): Promise<void> => {
      await tx.mediaItem.update({ where: { id }, data: { tags } })
    },

    /** Moments of a kind, in order. */
    async moments(tx: Tx, mediaItemId: string, kind: CorrectedKind): Promise<CorrectedMoment[]> {
      const select = { id: true, frameNumber: true, page: true, startSeconds: true, endSeconds: true } as const
      const moments = await tx.moment.findMany({
        where: { mediaItemId, kind },
        select: { ...select, characterOffset: true, body: true, lockedAt: true },
        orderBy: [{ position: 'asc' }, { id: 'asc' }],
      })
      return moments.map(({ lockedAt, ...moment }) => ({ ...moment, isLocked: lockedAt !== null }))
    },

    async removeMoments(tx: Tx, ids: string[]): Promise<void> {
      await tx.$executeRaw`DELETE FROM moments WHERE id = ANY(${ids}::uuid[])`
    },

    async addMoments(tx: Transaction, userId: string, itemId: string, moments: OwnMoment[]): Promise<void> {
      const rows = moments.map((moment) => ({ id: newId(), ...moment }))
      await sqlOf(tx).query(sql`
          INSERT INTO moments (id, media_item_id, user_id, kind, position, page, character_offset, body, language, lang,
            engine, locked_at)
          SELECT g.id, ${itemId}::uuid, ${userId}::uuid, g.kind, g.position, g.page, g."characterOffset", g.body,
            g.language, g."searchConfiguration"::regconfig, 'user', now()
          FROM jsonb_to_recordset(${JSON.stringify(storableJson(rows))}::jsonb) AS g (id uuid, kind text, position int, page int,
            "characterOffset" int, body text, language text, "searchConfiguration" text) RETURNING moments.id`)
    },

    /** Stores the caption of a new item in the transaction that adds it. */
    async setCaption(tx: Transaction, id: string, caption: string | null): Promise<void> {
      await sqlOf(tx).query(sql`UPDATE media_items SET caption = ${caption} WHERE id = ${id}::uuid RETURNING id`)
    },

    /** Replaces segments of a transcript and removes their vectors. @returns how many were replaced. */
    async setSegments(tx: Tx, itemId: string, segments: OwnSegment[]): Promise<number> {
      const segmentsJson = JSON.stringify(segments)
      const changed = await tx.$executeRaw`
        UPDATE moments SET body = g.body, language = g.language, lang = g."searchConfiguration"::regconfig,
          engine = 'user', model = NULL, confidence = NULL, locked_at = now()
        FROM jsonb_to_recordset(${segmentsJson}::jsonb)
          AS g (id uuid, body text, language text, "searchConfiguration" text)
        WHERE moments.id = g.id AND moments.media_item_id = ${itemId}::uuid AND moments.kind = 'speech'`
      await tx.momentEmbedding.deleteMany({
        where: { momentId: { in: segments.map(({ id }) => id) }, moment: { mediaItemId: itemId } },
      })
      return changed
    },

    /**
     * Unlocks segments of a transcript, which stay until the engine replaces them.
     * @returns how many exist, and how many were locked.
     */
    async unlockSegments(
      tx: Tx,
      mediaItemId: string,
      ids: string[],
    ): Promise<{ foundCount: number; unlocked: number }> {
      const where = { id: { in: ids }, mediaItemId, kind: 'speech' }
      const foundCount = await tx.moment.count({ where })
      const { count: unlocked } = await tx.moment.updateMany({
        where: { ...where, lockedAt: { not: null } },
        data: { lockedAt: null },
      })
      return { foundCount, unlocked }
    },

    /** Number of pages of an item; null when its text has no pages. */
    async pageCount(tx: Tx, id: string): Promise<number | null> {
      const select = { pageCount: true, contentType: true } as const
      const { pageCount, contentType } = await tx.mediaItem.findUniqueOrThrow({ where: { id }, select })
      // A single-page TIFF is a picture.
      if (contentType === 'image/tiff') return pageCount
      return contentType === 'application/pdf' ? (pageCount ?? 0) : null
    },

    async mediaType(tx: Tx, id: string): Promise<MediaType> {
      const { mediaType } = await tx.mediaItem.findUniqueOrThrow({ where: { id }, select: { mediaType: true } })
      // The column's check constraint allows no other values.
      return mediaType as MediaType
    },

    async setRollUp(tx: Tx, id: string, kind: CorrectedKind, text: string | null): Promise<void> {
      await tx.mediaItem.update({ where: { id }, data: { [rollUpColumns[kind]]: text } })
    },
  }
}
