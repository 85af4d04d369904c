import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Trained } from './tasks/classifier-retrain.ts'
import type { UpkeepStore } from './upkeep.store.ts'

/** Features and labels of a text classifier, packed as its trainer writes them. */
export const packedSchema = z.object({
  labels: z.array(z.string()).min(2),
  telling: z.array(z.number()),
  weights: z.string(),
})
type Packed = z.output<typeof packedSchema>

interface Example {
  text: string
  label: string
}

export interface TagTrainerDeps {
  store: Pick<UpkeepStore, 'taggedTexts' | 'currentTagClassifier' | 'keepTagClassifier'>
  /** Trains on texts with a label each, away from the event loop; it keeps hashes of words, no words. */
  train(
    task: { training: Example[]; heldOut: Example[]; current: Packed | null },
    signal: AbortSignal,
  ): Promise<{ model: Packed; accuracy: number; currentAccuracy: number | null }>
}

const MOST_EXAMPLES = 4000
const MOST_TAGS = 50
const LEAST_PER_TAG = 4
const HELD_OUT_OF = 5

/** A tag as a classifier knows it: whoever has the tag recognises it, and nobody reads it. */
export function tagLabel(tag: string): string {
  return createHash('sha256').update(`tag ${tag.toLowerCase()}`).digest('base64url').slice(0, 16)
}

/** Makes what trains the suggester of tags; null when too little is tagged. */
export function createTagTrainer({ store, train }: TagTrainerDeps) {
  return async (signal: AbortSignal): Promise<Trained | null> => {
    const tagged = await store.taggedTexts(MOST_EXAMPLES)
    const counts = new Map<string, number>()
    for (const { tag } of tagged) counts.set(tag, (counts.get(tag) ?? 0) + 1)
    const learnable = new Set(
      [...counts]
        .filter(([, count]) => count >= LEAST_PER_TAG)
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, MOST_TAGS)
        .map(([tag]) => tag),
    )
    if (learnable.size < 2) return null
    const examples = tagged
      .filter(({ tag }) => learnable.has(tag))
      .map(({ text, tag }) => ({ text, label: tagLabel(tag) }))
    // the same text is always on the same side, so that the one before is measured on what it has not seen either
    const isHeldOut = ({ text }: Example) =>
      createHash('sha256').update(text).digest().readUInt32BE() % HELD_OUT_OF === 0
    const training = examples.filter((one) => !isHeldOut(one))
    const heldOut = examples.filter(isHeldOut)
    if (heldOut.length === 0 || new Set(training.map(({ label }) => label)).size < 2) return null
    const row = await store.currentTagClassifier()
    const current = packedSchema.safeParse(row?.model).data ?? null
    const result = await train({ training, heldOut, current }, signal)
    const isBetter = result.currentAccuracy === null || result.accuracy > result.currentAccuracy
    const kept = {
      model: result.model,
      ...{ trainedOn: training.length, measuredOn: heldOut.length, accuracy: result.accuracy },
    }
    return {
      before: result.currentAccuracy,
      after: result.accuracy,
      isKept: isBetter && (await store.keepTagClassifier(kept, row?.version ?? null)),
      trainedOn: training.length,
      measuredOn: heldOut.length,
    }
  }
}
