import { type Sentence, say, sayAll } from '@mira/shared'
import type { Task } from '../task.ts'

/** Result of training; accuracies are shares of the test examples, 0 to 1. */
export interface Trained {
  before: number | null
  after: number
  isKept: boolean
  trainedOn: number
  measuredOn: number
}

export interface ClassifierRetrainDeps {
  /** Trains what tells which agent a sentence means; the new one is kept when it is better. */
  retrainIntents(): Promise<Trained & { calls: number }>
  /** Does so for what suggests tags; null when too little was tagged. */
  retrainTags(signal: AbortSignal): Promise<Trained | null>
}

const MINUTE_MS = 60_000

/** Lets classifiers learn from what people did; each new one is kept only when it is better on what it has not seen. */
export function createClassifierRetrain({ retrainIntents, retrainTags }: ClassifierRetrainDeps): Task {
  return {
    schedule: '0 4 * * 0',
    timeLimitMs: 15 * MINUTE_MS,
    async run(run) {
      await run.step('intents', async (progress) => {
        const trained = await retrainIntents()
        progress.total(trained.trainedOn)
        progress.done(trained.trainedOn)
        run.note('info', sentence('intents', trained))
        return { ...figures('intents', trained), intents_calls: trained.calls }
      })
      await run.step('tags', async (progress) => {
        const trained = await retrainTags(run.signal)
        if (trained === null) {
          progress.total(0)
          run.note('info', say('too_few_tags', {}, 'Too few things are tagged to learn from.'))
          return { tags_trained: false }
        }
        progress.total(trained.trainedOn)
        progress.done(trained.trainedOn)
        run.note('info', sentence('tags', trained))
        return { tags_trained: true, ...figures('tags', trained) }
      })
    },
  }
}

function figures(name: string, { before, after, isKept, measuredOn }: Trained) {
  return {
    [`${name}_accuracy_before`]: before,
    [`${name}_accuracy_after`]: after,
    [`${name}_kept`]: isKept,
    [`${name}_measured_on`]: measuredOn,
  }
}

const names = { intents: 'The classifier of intents', tags: 'The suggester of tags' }

function sentence(what: keyof typeof names, trained: Trained): Sentence {
  const { before, after, isKept, trainedOn: examples, measuredOn: others } = trained
  const percent = tenths(after)
  return sayAll(
    say(
      'learnt',
      { what, examples, percent, others },
      `${names[what]} learnt from ${examples} examples and gets ${percent.toFixed(1)}% of ${others} others right.`,
    ),
    before === null
      ? say('learnt_first', {}, 'There was none before.')
      : say('learnt_before', { percent: tenths(before) }, `The one before got ${tenths(before).toFixed(1)}% right.`),
    isKept
      ? say('learnt_kept', {}, 'The new one is in use.')
      : say('learnt_dropped', {}, 'It is not better: the one before stays.'),
  )
}

const tenths = (share: number) => Math.round(share * 1000) / 10
