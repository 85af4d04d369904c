import { toSql } from 'pgvector'
import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import type { VectorKind, VectorProfile } from '../../../platform/database/vector.ts'

export type ProfileKind = 'text' | 'image'

/** Key of a profile, the set of vectors that one model made. Only vectors of the same profile can be compared. */
export interface ProfileKey {
  kind: ProfileKind
  engine: string
  model: string
  dimensions: number
}

export interface Profile extends ProfileKey, VectorProfile {
  state: 'filling' | 'active' | 'old'
}

/** Number of texts or pictures with a vector in a profile (`filled`), and of all that can have one (`total`). */
export interface ProfileProgress {
  filled: number
  total: number
}

/** An item to embed. `userId` is null for an item in the trash, which is embedded in case it's restored. */
export interface OwnedItem {
  id: string
  userId: string | null
}

export interface PartRow {
  id: string
  kind: 'picture' | 'frame' | 'page'
  number: number
  startSeconds: number | null
  path: string
  width: number
  height: number
}

/** Texts of an item that have no vector in a profile, cut to a maximum length, and all profiles of texts. */
export interface MissingTextVectors {
  profiles: Profile[]
  /** Number of the item's texts, with and without a vector. */
  count: number
  missing: { id: string; text: string }[]
}

/** A vector to store; `userId` is the owner of its text. */
export interface NewVector {
  id: string
  profileId: number
  userId: string | null
  vector: number[]
  /** The text that was embedded. If it has changed meanwhile, the vector isn't stored. */
  text?: string
}

export type EmbeddingsStore = ReturnType<typeof createEmbeddingsStore>

/** Characters that a text is cut to before it's embedded; models read no more. */
const EMBEDDED_CHARACTERS = 8000

const DELETE_BATCH = 2000
const FILL_KEY = 'embedding_fill'

/** Latest progress noted by the server that fills a profile. */
export interface FillProgress {
  at: string
  /** Texts or pictures per minute; null until known. */
  per_minute: number | null
  /** Reason for a pause, shown to the user; null while filling continues. */
  error: string | null
  /** Number of items that couldn't be embedded. */
  failed_items: number
}

/** Tables of vectors and their sources. Moments with only white space, left when a user deletes all text, aren't embedded. */
const tables: Record<VectorKind, { embeddings: string; id: string; source: string }> = {
  moment: { embeddings: 'moment_embeddings', id: 'moment_id', source: `(SELECT * FROM moments WHERE body ~ '\\S')` },
  part: { embeddings: 'part_embeddings', id: 'part_id', source: 'media_parts' },
}
const kindOf: Record<ProfileKind, VectorKind> = { text: 'moment', image: 'part' }

/** Stores vectors and their profiles. */
export function createEmbeddingsStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  const findProfile = async (key: ProfileKey): Promise<Profile | null> =>
    (await prisma.embeddingProfile.findUnique({
      where: { kind_engine_model_dimensions: key },
      omit: { createdAt: true },
    })) as Profile | null

  /** Inserts a profile, unless it exists or another one has just become active; the caller looks for it again. */
  const insertProfile = ({ kind, engine, model, dimensions }: ProfileKey) =>
    pool.query(
      sql`INSERT INTO embedding_profiles (kind, engine, model, dimensions, state)
       VALUES (${kind}, ${engine}, ${model}, ${dimensions}, CASE WHEN EXISTS (
         SELECT FROM embedding_profiles WHERE kind = ${kind} AND state = 'active'
       ) THEN 'filling' ELSE 'active' END) ON CONFLICT DO NOTHING`,
    )

  return {
    /** The first profile of a kind is active immediately, later ones after a switch. */
    async findOrCreateProfile(key: ProfileKey): Promise<Profile> {
      for (;;) {
        const profile = await findProfile(key)
        if (profile) return profile
        await insertProfile(key)
      }
    },

    /** Profile that searches use; null when nothing was ever embedded. */
    async activeProfile(kind: ProfileKind): Promise<Profile | null> {
      return (await prisma.embeddingProfile.findFirst({
        where: { kind, state: 'active' },
        omit: { createdAt: true },
      })) as Profile | null
    },

    async profileById(id: number): Promise<Profile | null> {
      return (await prisma.embeddingProfile.findUnique({ where: { id }, omit: { createdAt: true } })) as Profile | null
    },

    /** Profiles of a kind, oldest first. */
    async profiles(kind: ProfileKind): Promise<Profile[]> {
      return (
        await pool.query<Profile>(
          prepared(
            sql`SELECT id, kind, engine, model, dimensions, state FROM embedding_profiles WHERE kind = ${kind} ORDER BY id`,
          ),
        )
      ).rows
    },

    /** Makes searches use a profile. The previous one is kept in the state `old`. */
    async activate({ id, kind }: Pick<Profile, 'id' | 'kind'>): Promise<void> {
      await prisma.$transaction([
        prisma.embeddingProfile.updateMany({
          where: { kind, state: 'active', id: { not: id } },
          data: { state: 'old' },
        }),
        prisma.embeddingProfile.update({ where: { id }, data: { state: 'active' } }),
      ])
    },

    /** Deletes an unused profile and its vectors, in batches, so that searches aren't blocked. */
    async drop(profileId: number): Promise<void> {
      for (const { embeddings, id } of Object.values(tables)) {
        for (let removed = DELETE_BATCH; removed === DELETE_BATCH; ) {
          const { rowCount } = await pool.query(
            sql`DELETE FROM ${raw(embeddings)} WHERE profile_id = ${profileId} AND ${raw(id)} IN (
               SELECT ${raw(id)} FROM ${raw(embeddings)} WHERE profile_id = ${profileId} LIMIT ${raw(DELETE_BATCH)}
             ) AND EXISTS (SELECT FROM embedding_profiles WHERE id = ${profileId} AND state <> 'active')`,
          )
          removed = rowCount ?? 0
        }
      }
      await prisma.embeddingProfile.deleteMany({ where: { id: profileId, state: { not: 'active' } } })
    },

    async progress({ id, kind }: Pick<Profile, 'id' | 'kind'>): Promise<ProfileProgress> {
      const { embeddings, source } = tables[kindOf[kind]]
      const { rows } = await pool.query<ProfileProgress>(
        sql`SELECT (SELECT count(*) FROM ${raw(embeddings)} WHERE profile_id = ${id})::int AS filled,
           (SELECT count(*) FROM ${raw(source)} s)::int AS total`,
      )
      return rows[0] ?? { filled: 0, total: 0 }
    },

    async saveFillProgress(profileId: number, note: FillProgress): Promise<void> {
      const [key, value] = [`${FILL_KEY}.${profileId}`, { ...note }]
      await prisma.setting.upsert({ where: { key }, create: { key, value }, update: { value } })
    },

    async readFillProgress(profileId: number): Promise<FillProgress | null> {
      const row = await prisma.setting.findUnique({ where: { key: `${FILL_KEY}.${profileId}` } })
      return (row?.value ?? null) as FillProgress | null
    },

    async deleteFillProgress(profileId: number): Promise<void> {
      await prisma.setting.deleteMany({ where: { key: `${FILL_KEY}.${profileId}` } })
    },

    /** Items that lack vectors of a profile, newest first. @param excludedIds ids of items to leave out. */
    async itemsToFill(
      { id, kind }: Pick<Profile, 'id' | 'kind'>,
      limit: number,
      excludedIds: string[] = [],
    ): Promise<OwnedItem[]> {
      const { embeddings, id: column, source } = tables[kindOf[kind]]
      const { rows } = await pool.query<OwnedItem>(
        sql`SELECT DISTINCT media_item_id AS id, user_id AS "userId" FROM ${raw(source)} s
         WHERE NOT EXISTS (SELECT FROM ${raw(embeddings)} e WHERE e.${raw(column)} = s.id AND e.profile_id = ${id})
           AND media_item_id <> ALL (${excludedIds}::uuid[])
         ORDER BY media_item_id DESC LIMIT ${limit}`,
      )
      return rows
    },

    /** Texts of each item that have no vector in the given profile. The profile's id is 0 when it isn't known yet. */
    async surveyTexts(requests: { item: OwnedItem; profileId: number }[]): Promise<MissingTextVectors[]> {
      const { rows } = await pool.query<MissingTextVectors>(
        prepared(
          sql`SELECT texts.*, (
             SELECT coalesce(json_agg(json_build_object('id', p.id, 'kind', p.kind, 'engine', p.engine, 'model', p.model,
               'dimensions', p.dimensions, 'state', p.state)), '[]') FROM embedding_profiles p WHERE p.kind = 'text'
           ) AS profiles
           FROM unnest(${requests.map(({ item }) => item.id)}::uuid[], ${requests.map(({ item }) => item.userId)}::uuid[],
             ${requests.map(({ profileId }) => profileId)}::int[]) WITH ORDINALITY AS request (id, user_id, profile_id, place)
           CROSS JOIN LATERAL (
             SELECT count(*)::int AS count,
               coalesce(json_agg(json_build_object('id', m.id, 'text', left(m.body, ${raw(EMBEDDED_CHARACTERS)}))
                 ORDER BY m.kind, m.position) FILTER (WHERE NOT EXISTS (
                   SELECT FROM moment_embeddings e WHERE e.moment_id = m.id AND e.profile_id = request.profile_id
                 )), '[]') AS missing
             FROM moments m WHERE m.media_item_id = request.id AND m.user_id IS NOT DISTINCT FROM request.user_id
               AND m.body ~ '\\S'
           ) texts ORDER BY place`,
        ),
      )
      return rows
    },

    /** Pictures of an item without a vector in the profile. */
    async missingParts(item: OwnedItem, profileId: number): Promise<PartRow[]> {
      const { rows } = await pool.query<PartRow>(
        sql`SELECT p.id, p.kind, p.number, p.start_seconds AS "startSeconds", p.path, p.width, p.height FROM media_parts p
         WHERE p.media_item_id = ${item.id} AND p.user_id IS NOT DISTINCT FROM ${item.userId}::uuid
           AND NOT EXISTS (SELECT FROM part_embeddings e WHERE e.part_id = p.id AND e.profile_id = ${profileId})
         ORDER BY p.kind, p.number`,
      )
      return rows
    },

    /** Number of pictures of an item. */
    async countParts(item: OwnedItem): Promise<number> {
      const { rows } = await pool.query<{ count: number }>(
        sql`SELECT count(*)::int AS count FROM media_parts WHERE media_item_id = ${item.id}
          AND user_id IS NOT DISTINCT FROM ${item.userId}::uuid`,
      )
      return rows[0]?.count ?? 0
    },

    /** Stores vectors of one kind, except those of texts that were deleted or changed meanwhile. */
    async save(kind: ProfileKind, vectors: NewVector[]): Promise<void> {
      const { embeddings, id, source } = tables[kindOf[kind]]
      const isUnchanged = kind === 'text' ? `AND left(s.body, ${EMBEDDED_CHARACTERS}) = made.text` : ''
      await pool.query(
        prepared(
          sql`INSERT INTO ${raw(embeddings)} (${raw(id)}, profile_id, user_id, embedding)
           SELECT s.id, made.profile_id, s.user_id, made.embedding::vector
           FROM unnest(${vectors.map((one) => one.id)}::uuid[], ${vectors.map(({ profileId }) => profileId)}::int[],
             ${vectors.map(({ userId }) => userId)}::uuid[], ${vectors.map(({ vector }) => toSql(vector))}::text[],
             ${vectors.map(({ text }) => text ?? '')}::text[]) AS made (id, profile_id, user_id, embedding, text)
           JOIN ${raw(source)} s ON s.id = made.id AND s.user_id IS NOT DISTINCT FROM made.user_id ${raw(isUnchanged)}
           ON CONFLICT (${raw(id)}, profile_id) DO UPDATE SET embedding = EXCLUDED.embedding`,
        ),
      )
    },
  }
}
