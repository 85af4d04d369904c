import type { TagSuggestionsStore } from './tag-suggestions.store.ts'

export interface TagSuggestionsDeps<Model> {
  store: TagSuggestionsStore
  /** The tags that a person uses, the most used first. */
  tagsOf(userId: string): Promise<{ tag: string }[]>
  /** Reads a trained suggester as it is kept; null when it is of another make. */
  readModel(kept: unknown): Model | null
  /** Labels of a text, most probable first. */
  guess(model: Model, text: string): { label: string; probability: number }[]
  /** A tag as the suggester knows it: it holds no tag that could be read. */
  labelOf(tag: string): string
}

/** Texts of an item. */
export interface TaggedText {
  originalFilename: string
  caption: string | null
  extractedText: string | null
  transcription: string | null
  tags: string[]
}

/** Number of users whose models are cached. */
const MODELS_READ = 50
const MAX_SUGGESTIONS = 3
/** A guess that no word of the text supports stays below this. */
const MIN_PROBABILITY = 0.35
/** A suggested tag must be this many times as probable as chance: with few tags, each has a large share by chance. */
const MIN_TIMES_CHANCE = 1.5
/** Characters read of each text, the same as in training. */
const TEXT_CHARACTERS = 300

/** Suggests tags out of those that a person uses already, as was learnt from what they tagged themselves. */
export function createTagSuggestionsService<Model>({
  store,
  tagsOf,
  readModel,
  guess,
  labelOf,
}: TagSuggestionsDeps<Model>) {
  /** Models of those who asked last; the oldest leave first. */
  const read = new Map<string, { learntAt: Date; model: Model | null }>()

  const modelOf = async (userId: string): Promise<Model | null> => {
    const learntAt = await store.learntAt(userId)
    const known = read.get(userId)
    read.delete(userId)
    if (learntAt === null) return null
    let current = known
    if (known?.learntAt.getTime() !== learntAt.getTime()) {
      const kept = await store.modelOf(userId)
      if (kept === null) return null
      current = { learntAt: kept.learntAt, model: readModel(kept.model) }
    }
    if (current === undefined) return null
    read.set(userId, current)
    const [oldest] = read.keys()
    if (read.size > MODELS_READ && oldest !== undefined) read.delete(oldest)
    return current.model
  }

  return {
    /** The surest first; none while no suggester was trained, or when it is sure of nothing. */
    async suggest(userId: string, item: TaggedText): Promise<string[]> {
      const suggester = await modelOf(userId)
      if (suggester === null) return []
      const cut = (text: string | null) => text?.slice(0, TEXT_CHARACTERS)
      const text = [item.originalFilename, item.caption, cut(item.extractedText), cut(item.transcription)]
        .filter((part) => part)
        .join(' ')
      const guesses = guess(suggester, text)
      const least = Math.max(MIN_PROBABILITY, MIN_TIMES_CHANCE / guesses.length)
      const sure = guesses.filter(({ probability }) => probability >= least).map(({ label }) => label)
      if (sure.length === 0) return []
      const given = new Set(item.tags.map(labelOf))
      const byLabel = new Map<string, string>()
      for (const { tag } of await tagsOf(userId)) if (!byLabel.has(labelOf(tag))) byLabel.set(labelOf(tag), tag)
      return sure.flatMap((label) => (given.has(label) ? [] : (byLabel.get(label) ?? []))).slice(0, MAX_SUGGESTIONS)
    },
  }
}
