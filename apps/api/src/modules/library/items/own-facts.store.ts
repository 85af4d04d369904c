import type { Database } from '../../../platform/database/client.ts'
import { inTransaction, raw, type SqlClient, type SqlTransaction, sql } from '../../../platform/database/sql.ts'

/**
 * Date and place of an item; `metadata…` are those from its file (decision 013). Times are in milliseconds since 1970,
 * local times as if they were UTC.
 */
export interface ItemTimeAndPlace {
  id: string
  originalFilename: string
  metadataTakenAtMs: number | null
  metadataTakenLocalMs: number | null
  /** The user's correction, or the time from the file if there's none. */
  takenLocalMs: number | null
  metadataLatitude: number | null
  metadataLongitude: number | null
  own: OwnTimeAndPlace
}

/** The user's corrections; null for uncorrected facts. */
export interface OwnTimeAndPlace {
  takenAtMs: number | null
  takenLocalMs: number | null
  latitude: number | null
  longitude: number | null
}

export interface ChangedTimeAndPlace extends OwnTimeAndPlace {
  id: string
  /** True when the place from the file is removed. */
  forgetsPlace: boolean
}

export type OwnFactsStore = ReturnType<typeof createOwnFactsStore>

const milliseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`

/** Access to users' corrections of dates and places. */
export function createOwnFactsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    transaction: <T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> => inTransaction(pool, work),

    /** Reads those of the items that belong to the user, and locks them until the transaction ends. */
    async lock(tx: SqlClient, userId: string, ids: string[]): Promise<ItemTimeAndPlace[]> {
      const { rows } = await tx.query<ItemTimeAndPlace>(sql`SELECT id, original_filename AS "originalFilename",
          ${raw(milliseconds('found_taken_at'))} AS "metadataTakenAtMs",
            ${raw(milliseconds('found_taken_local'))} AS "metadataTakenLocalMs",
            ${raw(milliseconds('taken_local'))} AS "takenLocalMs",
            found_latitude AS "metadataLatitude", found_longitude AS "metadataLongitude",
            json_build_object('takenAtMs', ${raw(milliseconds('own_taken_at'))}, 'takenLocalMs',
            ${raw(milliseconds('own_taken_local'))},
              'latitude', own_latitude, 'longitude', own_longitude) AS own
          FROM media_items WHERE user_id = ${userId}::uuid AND id = ANY (${ids}::uuid[]) ORDER BY id FOR NO KEY UPDATE`)
      return rows
    },

    async set(tx: SqlClient, changed: ChangedTimeAndPlace[]): Promise<void> {
      await tx.query(sql`UPDATE media_items SET updated_at = now(), own_taken_at = to_timestamp(g."takenAtMs" / 1000),
            own_taken_local = to_timestamp(g."takenLocalMs" / 1000) AT TIME ZONE 'UTC',
            own_latitude = g.latitude, own_longitude = g.longitude,
            found_latitude = CASE WHEN g."forgetsPlace" THEN NULL ELSE found_latitude END,
            found_longitude = CASE WHEN g."forgetsPlace" THEN NULL ELSE found_longitude END,
            keeps_place = keeps_place AND NOT g."forgetsPlace"
          FROM jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) AS g (id uuid, "takenAtMs" float8, "takenLocalMs" float8,
            latitude float8,
            longitude float8, "forgetsPlace" boolean) WHERE media_items.id = g.id`)
    },

    /** Replaces the tags of items. @returns ids of the items whose tags changed. */
    async setTags(tx: SqlClient, ids: string[], tags: string[]): Promise<string[]> {
      const { rows } = await tx.query<{
        id: string
      }>(sql`UPDATE media_items SET tags = ${tags}::text[], updated_at = now()
          WHERE id = ANY (${ids}::uuid[]) AND tags <> ${tags}::text[] RETURNING id`)
      return rows.map(({ id }) => id)
    },
  }
}
