import { type Sentence, say, sayAll } from '@mira/shared'
import type { IntentsService } from '../../../chat/index.ts'
import { type TrainingResult, trainTags } from '../tag-trainer.ts'
import type { Task } from '../task.ts'
import type { UpkeepStore } from '../upkeep.store.ts'

const MINUTE_MS = 60_000

/** Trains classifiers on users' activity; a new one is kept only if it's better on unseen examples. */
export function createClassifierRetrain({ intents, upkeep }: { intents: IntentsService; upkeep: UpkeepStore }): Task {
  return {
    schedule: '0 4 * * 0',
    timeLimitMs: 15 * MINUTE_MS,
    async run(run) {
      await run.step('intents', async (progress) => {
        const { before, after, ...counts } = await intents.retrain()
        const result = { ...counts, before: before?.accuracy ?? null, after: after.accuracy }
        progress.total(result.trainedOn)
        progress.done(result.trainedOn)
        run.note('info', sentence('intents', result))
        return { ...figures('intents', result), intents_calls: result.calls }
      })
      await run.step('tags', async (progress) => {
        const result = await trainTags(upkeep, run.signal)
        if (result === null) {
          progress.total(0)
          run.note('info', say('too_few_tags', {}, 'Too few things are tagged to learn from.'))
          return { tags_trained: false }
        }
        progress.total(result.trainedOn)
        progress.done(result.trainedOn)
        run.note('info', sentence('tags', result))
        return { tags_trained: true, ...figures('tags', result) }
      })
    },
  }
}

function figures(name: string, { before, after, isKept, measuredOn }: TrainingResult) {
  return {
    [`${name}_accuracy_before`]: before,
    [`${name}_accuracy_after`]: after,
    [`${name}_kept`]: isKept,
    [`${name}_measured_on`]: measuredOn,
  }
}

const names = { intents: 'The classifier of intents', tags: 'The suggester of tags' }

function sentence(what: keyof typeof names, result: TrainingResult): Sentence {
  const { before, after, isKept, trainedOn: examples, measuredOn: others } = result
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
