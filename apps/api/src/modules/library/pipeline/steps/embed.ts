import { cutText } from '@mira/shared/constants/cut-text'
import type { Sentence } from '../../../../sentences.ts'
import { PICTURES_IN_TURN, TEXTS_IN_TURN } from '../plan.ts'
import type { Results } from '../results.ts'
import {
  missingCapabilityReason,
  type Step,
  type StepContext,
  type StepItem,
  type StepOutcome,
  stepUnless,
} from '../step.ts'

/** A piece of a text with its offset in characters. */
interface TextChunk {
  body: string
  characterOffset: number
}

/** Maximum number of characters read of a document, since a small file may unpack to more than fits into memory. */
export const MAX_CHARACTERS = 5_000_000
/** Length of a chunk: enough for a statement, too short for several topics. */
const MIN_CHUNK_CHARACTERS = 800
const MAX_CHUNK_CHARACTERS = 1200
/** Possible ends of a chunk, best first. */
const boundaries = [
  /\n\s*\n/g,
  /[.!?…。！？]["'”’»)]*\s+/g,
  // Not where a hyphen splits a word.
  /(?<![-\u00ad\u2010]\s{0,20})\n/g,
  /(?<![-\u00ad\u2010]\s{0,20})\s+/g,
  /\s+/g,
]

/**
 * Splits a text into chunks at the ends of paragraphs, sentences, lines or words; blank chunks are dropped.
 */
export function chunksOf(text: string): TextChunk[] {
  const chunks: TextChunk[] = []
  for (let start = 0; start < text.length; ) {
    const end = endOfChunk(text, start)
    const body = text.slice(start, end)
    if (body.trim() !== '') chunks.push({ body, characterOffset: start })
    start = end
  }
  return chunks
}

function endOfChunk(text: string, start: number): number {
  if (text.length - start <= MAX_CHUNK_CHARACTERS) return text.length
  const from = start + MIN_CHUNK_CHARACTERS
  const window = text.slice(from, start + MAX_CHUNK_CHARACTERS)
  for (const boundary of boundaries) {
    const last = [...window.matchAll(boundary)].at(-1)
    if (last) return from + last.index + last[0].length
  }
  return start + cutText(text.slice(start), MAX_CHUNK_CHARACTERS).length
}

/** Library's view of the search: makes items findable by meaning. */
export interface ItemEmbedder {
  /** Reason shown to the user when texts or images can't be embedded; null when they can. */
  reasonOff(kind: 'text' | 'image'): Sentence | null
  /** Embeds an item's texts, at most `turn.max`; stored vectors are kept, so that the next turn continues. */
  embedItem(item: StepItem, signal: AbortSignal, turn: EmbeddingTurn): Promise<StepOutcome>
  /** Embeds an item's pictures in the same way. */
  embedItemPictures(
    item: StepItem,
    readPart: Results['readPart'],
    signal: AbortSignal,
    turn: EmbeddingTurn,
  ): Promise<StepOutcome>
}

/** Limit and progress callback of one turn. */
export interface EmbeddingTurn {
  progress?: (fraction: number) => void
  /** Maximum number of vectors; all when undefined. */
  max?: number | undefined
}

export type EmbedSteps = ReturnType<typeof createEmbedSteps>

/** Steps that make an item's texts findable by meaning, and its pictures by how they look. */
export function createEmbedSteps({ results, embedding }: { results: Results; embedding: ItemEmbedder }) {
  /** Splits the work into turns. Stored vectors are kept, so the next turn needs no other state. */
  const inTurns =
    (make: (context: StepContext) => Promise<StepOutcome>): Step =>
    async (context) => {
      const outcome = await make(context)
      if (outcome.isUnfinished) await results.storeCheckpoint(context.item, {})
      return outcome
    }
  return {
    embed: stepUnless(
      () => missingCapabilityReason('embedding', embedding.reasonOff('text')),
      inTurns(({ item, signal, progress }) => embedding.embedItem(item, signal, { progress, max: TEXTS_IN_TURN })),
    ),
    look: stepUnless(
      () => missingCapabilityReason('image_embedding', embedding.reasonOff('image')),
      inTurns(({ item, signal, progress }) =>
        embedding.embedItemPictures(item, results.readPart, signal, { progress, max: PICTURES_IN_TURN }),
      ),
    ),
  }
}
