import { createHash } from 'node:crypto'
import { type PackedClassifier, packedClassifierSchema } from '../../../offline/intents/packed-classifier.ts'
import { tagLabel } from '../../library/index.ts'
import type { Trained } from './kinds/classifier-retrain.ts'
import type { UpkeepStore } from './upkeep.store.ts'

interface Example {
  text: string
  label: string
}

export interface TagTrainerDeps {
  store: Pick<UpkeepStore, 'taggers' | 'taggedTexts' | 'tagModelOf' | 'keepTagModel' | 'dropTagModels'>
  /** Trains on texts with a label each, away from the event loop; it keeps hashes of words, no words. */
  train(
    task: { training: Example[]; heldOut: Example[]; current: PackedClassifier | null },
    signal: AbortSignal,
  ): Promise<{ model: PackedClassifier; accuracy: number; currentAccuracy: number | null }>
}

const MAX_EXAMPLES = 4000
const MAX_TAGS = 50
const MIN_PER_TAG = 4
const MIN_TAGS = 2
const MIN_TAGGED = MIN_PER_TAG * MIN_TAGS
const HELD_OUT_OF = 5
const PEOPLE_AT_ONCE = 100

/**
 * Makes what trains a suggester of tags for each person, out of their own things alone: one that had seen somebody
 * else's would tell of them by what it suggests. Null when nobody has tagged enough.
 */
export function createTagTrainer({ store, train }: TagTrainerDeps) {
  const trainFor = async (userId: string, signal: AbortSignal): Promise<Trained | null> => {
    const split = splitExamples(await store.taggedTexts(userId, MAX_EXAMPLES))
    if (split === null) return null
    const { training, heldOut } = split
    const row = await store.tagModelOf(userId)
    const current = packedClassifierSchema.safeParse(row?.model).data ?? null
    const { model, accuracy, currentAccuracy } = await train({ training, heldOut, current }, signal)
    const isBetter = currentAccuracy === null || accuracy > currentAccuracy
    const [trainedOn, measuredOn] = [training.length, heldOut.length]
    const kept = { model, trainedOn, measuredOn, accuracy }
    const isKept = isBetter && (await store.keepTagModel(userId, kept, row?.version ?? null))
    return { before: currentAccuracy, after: accuracy, isKept, trainedOn, measuredOn }
  }

  return async (signal: AbortSignal): Promise<Trained | null> => {
    await store.dropTagModels(MIN_TAGGED)
    const all: Trained[] = []
    for (let after: string | null = null; ; ) {
      const people: string[] = await store.taggers(MIN_TAGGED, { after, limit: PEOPLE_AT_ONCE })
      for (const userId of people) {
        signal.throwIfAborted()
        const trained = await trainFor(userId, signal)
        if (trained !== null) all.push(trained)
      }
      after = people.at(-1) ?? null
      if (people.length < PEOPLE_AT_ONCE) return sumOf(all)
    }
  }
}

/** Examples to learn from and others to measure on; null when they are too few. */
function splitExamples(tagged: { text: string; tag: string }[]) {
  const counts = new Map<string, number>()
  for (const { tag } of tagged) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  const learnable = new Set(
    [...counts]
      .filter(([, count]) => count >= MIN_PER_TAG)
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, MAX_TAGS)
      .map(([tag]) => tag),
  )
  if (learnable.size < MIN_TAGS) return null
  const examples = tagged
    .filter(({ tag }) => learnable.has(tag))
    .map(({ text, tag }): Example => ({ text, label: tagLabel(tag) }))
  // the same text is always on the same side, so that the one before is measured on what it has not seen either
  const isHeldOut = ({ text }: Example) => createHash('sha256').update(text).digest().readUInt32BE() % HELD_OUT_OF === 0
  const training = examples.filter((one) => !isHeldOut(one))
  const heldOut = examples.filter(isHeldOut)
  if (heldOut.length === 0 || new Set(training.map(({ label }) => label)).size < MIN_TAGS) return null
  return { training, heldOut }
}

/** All people's as one: accuracies over everything that was held out. */
function sumOf(all: Trained[]): Trained | null {
  if (all.length === 0) return null
  const total = (value: (one: Trained) => number, of = all) => of.reduce((sum, one) => sum + value(one), 0)
  const measuredOn = total((one) => one.measuredOn)
  const known = all.filter((one) => one.before !== null)
  const knownOn = total((one) => one.measuredOn, known)
  return {
    before: knownOn === 0 ? null : total((one) => (one.before ?? 0) * one.measuredOn, known) / knownOn,
    after: total((one) => one.after * one.measuredOn) / measuredOn,
    isKept: all.some((one) => one.isKept),
    trainedOn: total((one) => one.trainedOn),
    measuredOn,
  }
}
