import { createHash } from 'node:crypto'
import { packedClassifierSchema } from '../../../../offline/intents/intent-classifier.ts'
import { trainInThread } from '../../../../offline/intents/intent-trainer.ts'
import { isOutage } from '../../../../platform/database/availability.ts'
import { type Sentence, say, sayAll } from '../../../../sentences.ts'
import type { IntentsService } from '../../../chat/index.ts'
import { tagLabel } from '../../../library/index.ts'
import type { Task } from '../task.ts'
import type { UpkeepStore } from '../upkeep.store.ts'

/** `before` and `after`: share of held-out examples labelled correctly, 0 to 1; `before` is null without a previous model. */
interface TrainingResult {
  before: number | null
  after: number
  isKept: boolean
  trainingCount: number
  heldOutCount: number
}

interface Example {
  text: string
  label: string
}

const MAX_EXAMPLES = 4000
const MAX_TAGS = 50
const MIN_PER_TAG = 4
const MIN_TAGS = 2
const MIN_TAGGED = MIN_PER_TAG * MIN_TAGS
/** About one example in five is held out for measuring. */
const HELD_OUT_OF = 5
const USERS_BATCH = 100

/**
 * Trains a tag suggester for each user on their own items alone, so that it can't reveal another user's.
 * @returns the combined result; null when nobody has tagged enough items.
 * @throws the first failure, after training for the other users.
 */
async function trainTags(store: UpkeepStore, signal: AbortSignal): Promise<TrainingResult | null> {
  await store.removeTagModelsBelow(MIN_TAGGED)
  const results: TrainingResult[] = []
  const failures: unknown[] = []
  for (let after: string | null = null; ; ) {
    const userIds: string[] = await store.usersWithTags(MIN_TAGGED, { after, limit: USERS_BATCH })
    for (const userId of userIds) {
      signal.throwIfAborted()
      try {
        const result = await trainFor(store, userId, signal)
        if (result !== null) results.push(result)
      } catch (error) {
        signal.throwIfAborted()
        if (isOutage(error)) throw error
        failures.push(error)
      }
    }
    after = userIds.at(-1) ?? null
    if (userIds.length === USERS_BATCH) continue
    if (failures.length > 0) throw failures[0]
    return combine(results)
  }
}

async function trainFor(store: UpkeepStore, userId: string, signal: AbortSignal): Promise<TrainingResult | null> {
  const split = splitExamples(await store.taggedTexts(userId, MAX_EXAMPLES))
  if (split === null) return null
  const { training, heldOut } = split
  const row = await store.tagModelOf(userId)
  const current = packedClassifierSchema.safeParse(row?.model).data ?? null
  const { model, accuracy, currentAccuracy } = await trainInThread({ training, heldOut, current }, signal)
  const isBetter = currentAccuracy === null || accuracy > currentAccuracy
  const [trainingCount, heldOutCount] = [training.length, heldOut.length]
  const newRow = { model, trainedOn: trainingCount, measuredOn: heldOutCount, accuracy }
  const isKept = isBetter && (await store.storeTagModel(userId, newRow, row?.version ?? null))
  return { before: currentAccuracy, after: accuracy, isKept, trainingCount, heldOutCount }
}

/** Examples for training and for measuring; null when there are too few. */
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
  // By hash, so that the same examples are held out each time, and the previous model hasn't been trained on them.
  const isHeldOut = ({ text }: Example) => createHash('sha256').update(text).digest().readUInt32BE() % HELD_OUT_OF === 0
  const training = examples.filter((example) => !isHeldOut(example))
  const heldOut = examples.filter(isHeldOut)
  if (heldOut.length === 0 || new Set(training.map(({ label }) => label)).size < MIN_TAGS) return null
  return { training, heldOut }
}

/** Combined accuracies, weighted by held-out examples; `before` covers the users who had a model. Null when there are no results. */
function combine(results: TrainingResult[]): TrainingResult | null {
  if (results.length === 0) return null
  const total = (value: (result: TrainingResult) => number, of = results) =>
    of.reduce((sum, result) => sum + value(result), 0)
  const heldOutCount = total((result) => result.heldOutCount)
  const retrained = results.filter(({ before }) => before !== null)
  const retrainedHeldOutCount = total((result) => result.heldOutCount, retrained)
  return {
    before:
      retrainedHeldOutCount === 0
        ? null
        : total(({ before, heldOutCount: count }) => (before ?? 0) * count, retrained) / retrainedHeldOutCount,
    after: total((result) => result.after * result.heldOutCount) / heldOutCount,
    isKept: results.some((result) => result.isKept),
    trainingCount: total((result) => result.trainingCount),
    heldOutCount,
  }
}

const MINUTE_MS = 60_000

/** Trains classifiers on users' activity; a new one is kept only if it's better on unseen examples. */
export function createClassifierRetrain({ intents, upkeep }: { intents: IntentsService; upkeep: UpkeepStore }): Task {
  return {
    schedule: '0 4 * * 0',
    timeLimitMs: 15 * MINUTE_MS,
    async run(run) {
      await run.step('intents', async (progress) => {
        const { before, after, ...rest } = await intents.retrain()
        const result = { ...rest, before: before?.accuracy ?? null, after: after.accuracy }
        progress.total(result.trainingCount)
        progress.done(result.trainingCount)
        run.note('info', sentence('intents', result))
        return { ...figures('intents', result), intents_calls: result.calls }
      })
      await run.step('tags', async (progress) => {
        const result = await trainTags(upkeep, run.signal)
        if (result === null) {
          progress.total(0)
          run.note('info', say('too_few_tags', {}))
          return { tags_trained: false }
        }
        progress.total(result.trainingCount)
        progress.done(result.trainingCount)
        run.note('info', sentence('tags', result))
        return { tags_trained: true, ...figures('tags', result) }
      })
    },
  }
}

function figures(name: string, { before, after, isKept, heldOutCount }: TrainingResult) {
  return {
    [`${name}_accuracy_before`]: before,
    [`${name}_accuracy_after`]: after,
    [`${name}_kept`]: isKept,
    [`${name}_measured_on`]: heldOutCount,
  }
}

function sentence(what: 'intents' | 'tags', result: TrainingResult): Sentence {
  const { before, after, isKept, trainingCount: examples, heldOutCount: others } = result
  const percent = percentOf(after)
  return sayAll(
    say('learnt', { what, examples, percent, others }),
    before === null ? say('learnt_first', {}) : say('learnt_before', { percent: percentOf(before) }),
    isKept ? say('learnt_kept', {}) : say('learnt_dropped', {}),
  )
}

/** Percentage, rounded to tenths. */
const percentOf = (share: number) => Math.round(share * 1000) / 10
