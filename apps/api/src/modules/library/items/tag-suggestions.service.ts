import { createHash } from 'node:crypto'
import { cutText } from '@mira/shared/constants/cut-text'
import {
  guessIntent,
  type IntentModel,
  packedClassifierSchema,
  unpackIntents,
} from '../../../offline/intents/intent-classifier.ts'
import type { Database } from '../../../platform/database/client.ts'
import { sql } from '../../../platform/database/sql.ts'
import { setBounded } from '../../../platform/lib/bounded-map.ts'
import type { LibraryStore } from './library.store.ts'

/** Training time of a user's model; null while there's none. */
async function findTrainingTime({ pool }: Database, userId: string): Promise<Date | null> {
  const { rows } = await pool.query<{ trainedAt: Date }>(
    sql`SELECT created_at AS "trainedAt" FROM tag_models WHERE user_id = ${userId}`,
  )
  return rows[0]?.trainedAt ?? null
}

async function findTagModel({ pool }: Database, userId: string): Promise<{ trainedAt: Date; model: unknown } | null> {
  const { rows } = await pool.query<{ trainedAt: Date; model: unknown }>(
    sql`SELECT created_at AS "trainedAt", model FROM tag_models WHERE user_id = ${userId}`,
  )
  return rows[0] ?? null
}

/** Label of a tag in a classifier: a hash, so that a stored classifier reveals no tag. */
export function tagLabel(tag: string): string {
  return createHash('sha256').update(`tag ${tag.toLowerCase()}`).digest('base64url').slice(0, 16)
}

interface TagSuggestionsDeps {
  database: Database
  library: LibraryStore
}

export type TagSuggestionsService = ReturnType<typeof createTagSuggestionsService>

/** Texts and tags of an item. */
interface TaggedText {
  originalFilename: string
  caption: string | null
  extractedText: string | null
  transcription: string | null
  tags: string[]
}

/** Reads a stored model; null when its format is another version's. */
function readModel(stored: unknown): IntentModel | null {
  const packed = packedClassifierSchema.safeParse(stored)
  return packed.success ? unpackIntents(packed.data) : null
}

/** Number of users whose models are cached. */
const MAX_CACHED_MODELS = 50
const MAX_SUGGESTIONS = 3
/** Minimum probability of a suggested tag; guesses that the text doesn't support stay below it. */
const MIN_PROBABILITY = 0.35
/** A suggested tag must be this many times as probable as chance: with few tags, each has a large share by chance. */
const MIN_TIMES_CHANCE = 1.5
/** Characters to read of an extracted text or a transcript, the same as in training. */
const TEXT_CHARACTERS = 300

/** Suggests some of the user's own tags, with a model trained on the items that the user tagged. */
export function createTagSuggestionsService({ database, library }: TagSuggestionsDeps) {
  /** Cached models by user id, the least recently used first. */
  const models = new Map<string, { trainedAt: Date; model: IntentModel | null }>()

  const modelOf = async (userId: string): Promise<IntentModel | null> => {
    const trainedAt = await findTrainingTime(database, userId)
    const cached = models.get(userId)
    models.delete(userId)
    if (trainedAt === null) return null
    let current = cached
    if (cached?.trainedAt.getTime() !== trainedAt.getTime()) {
      const storedModel = await findTagModel(database, userId)
      if (storedModel === null) return null
      current = { trainedAt: storedModel.trainedAt, model: readModel(storedModel.model) }
    }
    if (current === undefined) return null
    setBounded(models, userId, current, MAX_CACHED_MODELS)
    return current.model
  }

  return {
    /** Suggested tags, most probable first; none when there's no model or no probable tag. */
    async suggest(userId: string, item: TaggedText): Promise<string[]> {
      const model = await modelOf(userId)
      if (model === null) return []
      const cut = (text: string | null) => cutText(text ?? '', TEXT_CHARACTERS)
      const text = [item.originalFilename, item.caption, cut(item.extractedText), cut(item.transcription)]
        .filter((part) => part)
        .join(' ')
      const guesses = guessIntent(model, text)
      const minProbability = Math.max(MIN_PROBABILITY, MIN_TIMES_CHANCE / guesses.length)
      const probableLabels = guesses
        .filter(({ probability }) => probability >= minProbability)
        .map(({ label }) => label)
      if (probableLabels.length === 0) return []
      const ownLabels = new Set(item.tags.map(tagLabel))
      const byLabel = new Map<string, string>()
      for (const { tag } of await library.tags(userId)) {
        const label = tagLabel(tag)
        if (!byLabel.has(label)) byLabel.set(label, tag)
      }
      return probableLabels
        .flatMap((label) => (ownLabels.has(label) ? [] : (byLabel.get(label) ?? [])))
        .slice(0, MAX_SUGGESTIONS)
    },
  }
}
