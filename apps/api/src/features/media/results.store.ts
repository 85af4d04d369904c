import type { ReadWord } from '@mira/shared'
import type { Database } from '../../db/client.ts'
import type { Prisma } from '../../db/generated/client.ts'
import { newId } from '../../db/new-id.ts'
import { type ItemFacts, type NewMoment, type NewPart, OvertakenError, type Part, type StepItem } from './processing.ts'

type Tx = Prisma.TransactionClient

/** A file that was stored for a row that does not name it yet. */
export interface KeptFile {
  path: string
  sizeBytes: number
  holdId: string
}

/** A moment that a person wrote or corrected. */
export interface LockedMoment {
  id: string
  frameNumber: number | null
  page: number | null
  startSeconds: number | null
  endSeconds: number | null
  characterOffset: number | null
  body: string
}

/** A moment with its place in the order of its kind, and the configuration that its words are searched with. */
export type PlacedMoment = NewMoment & { position: number; searchConfiguration: string }

/** Texts of the item as a whole, by the kind of moments that they come from. */
const rollUpColumns = { caption: 'caption', text: 'extractedText', speech: 'transcription' } as const

export type ResultsStore = ReturnType<typeof createResultsStore>

/** What was found in items, as rows; only the run that does a step writes what the step finds. */
export function createResultsStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    /**
     * Does a little work while the item stays as it is.
     * @throws OvertakenError when it is gone, or another run has taken the place of this one.
     */
    async write<T>({ id, run }: StepItem, work: (tx: Tx) => Promise<T>): Promise<T> {
      return prisma.$transaction(async (tx) => {
        const items = await tx.$queryRaw<unknown[]>`
          SELECT id FROM media_items WHERE id = ${id}::uuid FOR NO KEY UPDATE`
        if (items.length === 0) throw new OvertakenError('the item is gone')
        if (run !== undefined) {
          const { step: name, startedAt } = run
          const mine = await tx.$queryRaw<unknown[]>`
            SELECT 1 FROM media_steps WHERE media_item_id = ${id}::uuid AND name = ${name}
              AND started_at = ${startedAt}::timestamptz AND status = 'processing'`
          if (mine.length === 0) throw new OvertakenError('another run has taken the place of this one')
        }
        return work(tx)
      })
    },

    async describe(tx: Tx, id: string, { details, ...facts }: ItemFacts): Promise<void> {
      await tx.mediaItem.update({ where: { id }, data: facts })
      if (details === undefined) return
      await tx.$executeRaw`
        UPDATE media_items SET details = details || ${JSON.stringify(storable(details))}::jsonb WHERE id = ${id}::uuid`
    },

    /** Replaces one part; nobody holds its file any more. */
    async putPart(tx: Tx, item: StepItem, part: NewPart, file: KeptFile): Promise<void> {
      const { kind, number, startSeconds, thumbnail, words = [] } = part
      const { width, height } = thumbnail
      await tx.$executeRaw`
        DELETE FROM media_parts WHERE media_item_id = ${item.id}::uuid AND kind = ${kind} AND number = ${number}`
      await tx.$executeRaw`
        WITH let_go AS (DELETE FROM loose_files WHERE id = ${file.holdId}::uuid)
        INSERT INTO media_parts (id, media_item_id, user_id, kind, number, path, size_bytes, start_seconds, width, height,
          words)
        VALUES (${newId()}::uuid, ${item.id}::uuid, ${item.userId}::uuid, ${kind}, ${number}, ${file.path},
          ${file.sizeBytes}, ${startSeconds ?? null}::float8, ${width}, ${height},
          ${JSON.stringify(storable(words))}::jsonb)`
    },

    async removeOtherParts(tx: Tx, itemId: string, kind: NewPart['kind'], numbers: number[]): Promise<void> {
      await tx.mediaPart.deleteMany({ where: { mediaItemId: itemId, kind, number: { notIn: numbers } } })
    },

    async parts(itemId: string, kind: NewPart['kind']): Promise<Part[]> {
      const { rows } = await pool.query<Part>(
        `SELECT id, kind, number, start_seconds AS "startSeconds", path, width, height
         FROM media_parts WHERE media_item_id = $1 AND kind = $2 ORDER BY number`,
        [itemId, kind],
      )
      return rows
    },

    async setWords(tx: Tx, itemId: string, kind: NewPart['kind'], number: number, words: ReadWord[]): Promise<void> {
      await tx.mediaPart.updateMany({
        where: { mediaItemId: itemId, kind, number },
        data: { words: storable(words) as unknown as Prisma.InputJsonArray },
      })
    },

    /** Replaces a copy; nobody holds its file any more. */
    async putCopy(
      tx: Tx,
      itemId: string,
      kind: 'thumbnail' | 'preview',
      { path, sizeBytes, holdId, ...copy }: KeptFile & { contentType: string; width?: number; height?: number },
    ): Promise<void> {
      const { contentType, width = null, height = null } = copy
      await tx.$executeRaw`
        WITH let_go AS (DELETE FROM loose_files WHERE id = ${holdId}::uuid)
        INSERT INTO media_copies (media_item_id, kind, path, content_type, size_bytes, width, height)
        VALUES (${itemId}::uuid, ${kind}, ${path}, ${contentType}, ${sizeBytes}, ${width}::int, ${height}::int)
        ON CONFLICT (media_item_id, kind) DO UPDATE SET path = excluded.path, content_type = excluded.content_type,
          size_bytes = excluded.size_bytes, width = excluded.width, height = excluded.height`
    },

    /** Says that no row will name a file that was held; it is deleted soon. */
    async letGo(holdId: string): Promise<void> {
      await pool.query('UPDATE loose_files SET due_at = now() WHERE id = $1', [holdId])
    },

    async lockedMoments(itemId: string, kind: NewMoment['kind'], client: Tx = prisma): Promise<LockedMoment[]> {
      return client.$queryRaw<LockedMoment[]>`
        SELECT id, frame_number AS "frameNumber", page, start_seconds AS "startSeconds", end_seconds AS "endSeconds",
          character_offset AS "characterOffset", body
        FROM moments WHERE media_item_id = ${itemId}::uuid AND kind = ${kind} AND locked_at IS NOT NULL
        ORDER BY position`
    },

    /** Removes moments that no person has touched; how many there were, at most `most`. */
    async removeMoments(tx: Tx, itemId: string, kind: NewMoment['kind'], most: number): Promise<number> {
      return tx.$executeRaw`
        DELETE FROM moments WHERE id IN (
          SELECT id FROM moments
          WHERE media_item_id = ${itemId}::uuid AND kind = ${kind} AND locked_at IS NULL LIMIT ${most})`
    },

    async addMoments(tx: Tx, item: StepItem, moments: PlacedMoment[]): Promise<void> {
      const rows = moments.map((moment) => ({ id: newId(), ...moment, box: moment.box ?? null }))
      await tx.$executeRaw`
        INSERT INTO moments (id, media_item_id, user_id, kind, position, frame_number, page, start_seconds, end_seconds,
          character_offset, box, body, language, lang, engine, model, confidence)
        SELECT g.id, ${item.id}::uuid, ${item.userId}::uuid, g.kind, g.position, g."frameNumber", g.page,
          g."startSeconds", greatest(g."endSeconds", g."startSeconds"), g."characterOffset", nullif(g.box, 'null'),
          g.body, g.language, g."searchConfiguration"::regconfig, g.engine, g.model,
          least(greatest(g.confidence, 0), 1)
        FROM jsonb_to_recordset(${JSON.stringify(storable(rows))}::jsonb) AS g (id uuid, kind text, position int,
          "frameNumber" int, page int, "startSeconds" float8, "endSeconds" float8, "characterOffset" int, box jsonb,
          body text, language text, "searchConfiguration" text, engine text, model text, confidence float8)`
    },

    /** Puts locked moments into the order of their kind. */
    async placeLocked(tx: Tx, placed: { id: string; position: number }[]): Promise<void> {
      if (placed.length === 0) return
      await tx.$executeRaw`
        UPDATE moments SET position = g.position
        FROM jsonb_to_recordset(${JSON.stringify(placed)}::jsonb) AS g (id uuid, position int)
        WHERE moments.id = g.id`
    },

    /** Stores what the moments of a kind say together. */
    async setRollUp(tx: Tx, itemId: string, kind: NewMoment['kind'], text: string | null): Promise<void> {
      if (kind === 'name') return
      await tx.mediaItem.update({ where: { id: itemId }, data: { [rollUpColumns[kind]]: text && storable(text) } })
    },
  }
}

/** A value whose texts PostgreSQL can store: without the character NUL and halves of characters. */
export function storable<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed() as T
  if (Array.isArray(value)) return value.map(storable) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [storable(name), storable(one)])) as T
}
