import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import { type VectorKind, type VectorProfile, vectorArrayParameter } from '../../../platform/database/vector.ts'

export type ProfileKind = 'text' | 'image'

/** Identity of comparable vectors. */
export interface ProfileKey {
  kind: ProfileKind
  engine: string
  model: string
  dimensions: number
}

export interface Profile extends ProfileKey, VectorProfile {
  state: 'filling' | 'active' | 'old'
}

/** Progress of a profile; `total` counts everything that could have a vector. */
export interface ProfileProgress {
  filled: number
  total: number
}

/** An item; `userId` is null in the trash, where it's still embedded in case it's restored. */
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

/** Texts of an item that have no vector of a profile yet, as they are embedded, and the profiles as they are now. */
export interface TextSurvey {
  profiles: Profile[]
  /** Number of all texts. */
  count: number
  missing: { id: string; text: string }[]
}

/** A vector to store; `userId` of its text's owner. */
export interface NewVector {
  id: string
  profileId: number
  userId: string | null
  vector: number[]
  /** Text that the vector was made of: when it was changed meanwhile, it gets none. */
  text?: string
}

export type EmbeddingsStore = ReturnType<typeof createEmbeddingsStore>

/** A text is cut here before it becomes a vector; models read less. */
const EMBEDDED_CHARACTERS = 8000

const MAX_DROPPED = 2000
const FILL_KEY = 'embedding_fill'

/** Latest progress note of the server that fills a profile. */
export interface FillNote {
  /** Time of the note. */
  at: string
  /** Texts or pictures in a minute; null until it is known. */
  per_minute: number | null
  /** Reason shown to the user why filling has paused; null while it continues. */
  error: string | null
  /** Items that could not be prepared. */
  failed_items: number
}

/** A person who took all text away left a moment of nothing but space. */
const tables: Record<VectorKind, { embeddings: string; id: string; source: string }> = {
  moment: { embeddings: 'moment_embeddings', id: 'moment_id', source: `(SELECT * FROM moments WHERE body ~ '\\S')` },
  part: { embeddings: 'part_embeddings', id: 'part_id', source: 'media_parts' },
}
const kindOf: Record<ProfileKind, VectorKind> = { text: 'moment', image: 'part' }

/** Keeps vectors, and what made them. */
export function createEmbeddingsStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  const findProfile = async (key: ProfileKey): Promise<Profile | null> =>
    (await prisma.embeddingProfile.findUnique({
      where: { kind_engine_model_dimensions: key },
      omit: { createdAt: true },
    })) as Profile | null

  /** Does nothing when it exists, or when another one became active at the same moment. */
  const insertProfile = ({ kind, engine, model, dimensions }: ProfileKey) =>
    pool.query(
      sql`INSERT INTO embedding_profiles (kind, engine, model, dimensions, state)
       VALUES (${kind}, ${engine}, ${model}, ${dimensions}, CASE WHEN EXISTS (
         SELECT FROM embedding_profiles WHERE kind = ${kind} AND state = 'active'
       ) THEN 'filling' ELSE 'active' END) ON CONFLICT DO NOTHING`,
    )

  let vectorTypeId: Promise<number> | undefined
  const readVectorTypeId = async () => {
    const { rows } = await pool.query<{ id: number }>(`SELECT 'vector'::regtype::oid::int AS id`)
    return rows[0]?.id ?? 0
  }

  return {
    /** The profile of what makes vectors now; the first of its kind is searched at once, another one when it is switched to. */
    async profileOf(key: ProfileKey): Promise<Profile> {
      for (;;) {
        const profile = await findProfile(key)
        if (profile) return profile
        await insertProfile(key)
      }
    },

    /** The profile that is searched; null when nothing was ever embedded. */
    async activeProfile(kind: ProfileKind): Promise<Profile | null> {
      return (await prisma.embeddingProfile.findFirst({
        where: { kind, state: 'active' },
        omit: { createdAt: true },
      })) as Profile | null
    },

    async profileById(id: number): Promise<Profile | null> {
      return (await prisma.embeddingProfile.findUnique({ where: { id }, omit: { createdAt: true } })) as Profile | null
    },

    /** The profiles of a kind, in the order in which they were made. */
    async profiles(kind: ProfileKind): Promise<Profile[]> {
      return (
        await pool.query<Profile>(
          prepared(
            sql`SELECT id, kind, engine, model, dimensions, state FROM embedding_profiles WHERE kind = ${kind} ORDER BY id`,
          ),
        )
      ).rows
    },

    /** Searches use this profile from now on; the one before is kept as old. */
    async activate({ id, kind }: Pick<Profile, 'id' | 'kind'>): Promise<void> {
      await prisma.$transaction([
        prisma.embeddingProfile.updateMany({
          where: { kind, state: 'active', id: { not: id } },
          data: { state: 'old' },
        }),
        prisma.embeddingProfile.update({ where: { id }, data: { state: 'active' } }),
      ])
    },

    /** Removes an unused profile with its vectors in batches, so that searches aren't blocked. */
    async drop(profileId: number): Promise<void> {
      for (const { embeddings, id } of Object.values(tables)) {
        for (let removed = MAX_DROPPED; removed === MAX_DROPPED; ) {
          const { rowCount } = await pool.query(
            sql`DELETE FROM ${raw(embeddings)} WHERE profile_id = ${profileId} AND ${raw(id)} IN (
               SELECT ${raw(id)} FROM ${raw(embeddings)} WHERE profile_id = ${profileId} LIMIT ${raw(MAX_DROPPED)}
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

    async noteFill(profileId: number, note: FillNote): Promise<void> {
      const [key, value] = [`${FILL_KEY}.${profileId}`, { ...note }]
      await prisma.setting.upsert({ where: { key }, create: { key, value }, update: { value } })
    },

    async readFill(profileId: number): Promise<FillNote | null> {
      const row = await prisma.setting.findUnique({ where: { key: `${FILL_KEY}.${profileId}` } })
      return (row?.value ?? null) as FillNote | null
    },

    async forgetFill(profileId: number): Promise<void> {
      await prisma.setting.deleteMany({ where: { key: `${FILL_KEY}.${profileId}` } })
    },

    /** Items that have something without a vector of the profile, the newest first. */
    async itemsToFill(
      { id, kind }: Pick<Profile, 'id' | 'kind'>,
      limit: number,
      without: string[] = [],
    ): Promise<OwnedItem[]> {
      const { embeddings, id: column, source } = tables[kindOf[kind]]
      const { rows } = await pool.query<OwnedItem>(
        sql`SELECT DISTINCT media_item_id AS id, user_id AS "userId" FROM ${raw(source)} s
         WHERE NOT EXISTS (SELECT FROM ${raw(embeddings)} e WHERE e.${raw(column)} = s.id AND e.profile_id = ${id})
           AND media_item_id <> ALL (${without}::uuid[])
         ORDER BY media_item_id DESC LIMIT ${limit}`,
      )
      return rows
    },

    /** Texts of items without a vector of the profile asked for, 0 for one that isn't known yet. */
    async surveyTexts(asked: { item: OwnedItem; profileId: number }[]): Promise<TextSurvey[]> {
      const { rows } = await pool.query<TextSurvey>(
        prepared(
          sql`SELECT found.*, (
             SELECT coalesce(json_agg(json_build_object('id', p.id, 'kind', p.kind, 'engine', p.engine, 'model', p.model,
               'dimensions', p.dimensions, 'state', p.state)), '[]') FROM embedding_profiles p WHERE p.kind = 'text'
           ) AS profiles
           FROM unnest(${asked.map(({ item }) => item.id)}::uuid[], ${asked.map(({ item }) => item.userId)}::uuid[],
             ${asked.map(({ profileId }) => profileId)}::int[]) WITH ORDINALITY AS asked (id, user_id, profile_id, place)
           CROSS JOIN LATERAL (
             SELECT count(*)::int AS count,
               coalesce(json_agg(json_build_object('id', m.id, 'text', left(m.body, ${raw(EMBEDDED_CHARACTERS)}))
                 ORDER BY m.kind, m.position) FILTER (WHERE NOT EXISTS (
                   SELECT FROM moment_embeddings e WHERE e.moment_id = m.id AND e.profile_id = asked.profile_id
                 )), '[]') AS missing
             FROM moments m WHERE m.media_item_id = asked.id AND m.user_id IS NOT DISTINCT FROM asked.user_id
               AND m.body ~ '\\S'
           ) found ORDER BY place`,
        ),
      )
      return rows
    },

    /** Pictures of an item that have no vector of the profile yet. */
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

    /** Stores vectors of one kind, except of texts deleted meanwhile. */
    async save(kind: ProfileKind, vectors: NewVector[]): Promise<void> {
      const { embeddings, id, source } = tables[kindOf[kind]]
      const isSame = kind === 'text' ? `AND left(s.body, ${EMBEDDED_CHARACTERS}) = made.text` : ''
      vectorTypeId ??= readVectorTypeId().catch((error: unknown) => {
        vectorTypeId = undefined
        throw error
      })
      const made = vectorArrayParameter(
        vectors.map(({ vector }) => vector),
        await vectorTypeId,
      )
      const save = pool.query(
        prepared(
          sql`INSERT INTO ${raw(embeddings)} (${raw(id)}, profile_id, user_id, embedding)
           SELECT s.id, made.profile_id, s.user_id, made.embedding
           FROM unnest(${vectors.map((one) => one.id)}::uuid[], ${vectors.map(({ profileId }) => profileId)}::int[],
             ${vectors.map(({ userId }) => userId)}::uuid[], ${made}::vector[],
             ${vectors.map(({ text }) => text ?? '')}::text[]) AS made (id, profile_id, user_id, embedding, text)
           JOIN ${raw(source)} s ON s.id = made.id AND s.user_id IS NOT DISTINCT FROM made.user_id ${raw(isSame)}
           ON CONFLICT (${raw(id)}, profile_id) DO UPDATE SET embedding = EXCLUDED.embedding`,
        ),
      )
      await save.catch((error: unknown) => {
        // the id changes when the extension is dropped and created again
        vectorTypeId = undefined
        throw error
      })
    },
  }
}
