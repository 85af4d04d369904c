import type { Sentence } from '../../../../sentences.ts'
import { PICTURES_IN_TURN, TEXTS_IN_TURN } from '../plan.ts'
import type { Results } from '../results.ts'
import { lacking, type Step, type StepContext, type StepItem, type StepOutcome, stepUnless } from '../step.ts'

/** Library's view of the search: makes items findable by meaning. */
export interface ItemEmbedder {
  /** Reason shown to the user when texts or images can't be embedded; null when they can. */
  reasonOff(kind: 'text' | 'image'): Sentence | null
  /** Embeds an item's texts, at most so many; stored vectors are kept, so another turn continues. */
  embedItem(item: StepItem, signal: AbortSignal, turn: EmbeddingTurn): Promise<StepOutcome>
  /** Embeds an item's pictures in the same way. */
  lookItem(
    item: StepItem,
    readPart: Results['readPart'],
    signal: AbortSignal,
    turn: EmbeddingTurn,
  ): Promise<StepOutcome>
}

interface EmbeddingTurn {
  progress(fraction: number): void
  /** Bound on the vectors to make. */
  max: number
}

export type EmbedSteps = ReturnType<typeof createEmbedSteps>

/** Steps that make an item's texts findable by meaning, and its pictures by how they look. */
export function createEmbedSteps({ results, embedding }: { results: Results; embedding: ItemEmbedder }) {
  /** Splits the work into turns. Stored vectors are kept, so the next turn needs no other state. */
  const inTurns =
    (make: (context: StepContext) => Promise<StepOutcome>): Step =>
    async (context) => {
      const outcome = await make(context)
      if (outcome.isUnfinished) await results.keepCheckpoint(context.item, {})
      return outcome
    }
  return {
    embed: stepUnless(
      () => lacking('embedding', embedding.reasonOff('text')),
      inTurns(({ item, signal, progress }) => embedding.embedItem(item, signal, { progress, max: TEXTS_IN_TURN })),
    ),
    look: stepUnless(
      () => lacking('image_embedding', embedding.reasonOff('image')),
      inTurns(({ item, signal, progress }) =>
        embedding.lookItem(item, results.readPart, signal, { progress, max: PICTURES_IN_TURN }),
      ),
    ),
  }
}
