import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../../../config.ts'
import type { Ai } from '../../../../engines/ai.ts'
import { createRemoteFineTuning, type RemoteFineTuning } from '../../../../engines/remote/fine-tuning.ts'
import type { SettingsReader } from '../../../../platform/settings/settings.service.ts'
import { type Sentence, say } from '../../../../sentences.ts'
import { DATASET_KEY } from '../present-run.ts'
import { SentenceError, type Task, type TaskResults } from '../task.ts'
import type { RatedAnswer, UpkeepStore } from '../upkeep.store.ts'

const MINUTE_MS = 60_000
const POLL_INTERVAL_MS = 10_000
const MAX_ANSWERS = 2000
const MAX_CHARACTERS = 16_000
const MIN_ANSWER_CHARACTERS = 2
const CHARACTERS_PER_TOKEN = 4
/** Minimum number of examples to upload; known APIs refuse fewer. */
const MIN_UPLOADED = 10

const offReasons: Record<'unconnected' | 'forbidden', Sentence> = {
  unconnected: say('training_unconnected', {}),
  forbidden: say('training_forbidden', {}),
}

/** One example in the chat format, a line of JSON. */
export function trainingLine({ question, answer }: Pick<RatedAnswer, 'question' | 'answer'>): string {
  return `${JSON.stringify({
    messages: [
      { role: 'user', content: question.trim() },
      { role: 'assistant', content: answer.trim() },
    ],
  })}\n`
}

/** Leaves out answers that are empty, overlong or (apart from spacing and case) duplicates. */
function checkedAnswers(answers: RatedAnswer[]): { examples: RatedAnswer[]; duplicates: number; refusedCount: number } {
  const seenKeys = new Set<string>()
  const examples: RatedAnswer[] = []
  let duplicates = 0
  let refusedCount = 0
  for (const example of answers) {
    const [question, answer] = [example.question.trim(), example.answer.trim()]
    const isComplete = question !== '' && answer.length >= MIN_ANSWER_CHARACTERS
    if (!isComplete || question.length + answer.length > MAX_CHARACTERS) {
      refusedCount++
      continue
    }
    const normalised = `${question}\n${answer}`.toLowerCase().replaceAll(/\s+/g, ' ')
    const key = createHash('sha256').update(normalised).digest('base64')
    if (seenKeys.has(key)) duplicates++
    else {
      seenKeys.add(key)
      examples.push(example)
    }
  }
  return { examples, duplicates, refusedCount }
}

/** Builds a training set from answers that users rated up and agreed to share, and fine-tunes a model with it where possible. */
export function createModelFinetuning({
  upkeep,
  config,
  settings,
  ai,
}: {
  upkeep: UpkeepStore
  config: Pick<Config, 'remoteAi'>
  settings: SettingsReader
  ai: Ai
}): Task {
  /** Fine-tuning API, or the reason for its absence. */
  const fineTuning = (): RemoteFineTuning | keyof typeof offReasons => {
    const { baseUrl, apiKey } = config.remoteAi
    const model = ai.chat().model()
    if ((baseUrl === undefined && apiKey === undefined) || model === null) return 'unconnected'
    if (!settings.current().allows_remote_fine_tuning) return 'forbidden'
    return createRemoteFineTuning({ baseUrl, apiKey, model })
  }

  return {
    schedule: null,
    timeLimitMs: 24 * 60 * MINUTE_MS,
    async run(run) {
      let dataset: RatedAnswer[] = []
      const read = async () => {
        const answers = await upkeep.ratedAnswers(MAX_ANSWERS)
        return { ...checkedAnswers(answers), foundCount: answers.length }
      }
      await run.step('dataset', async (progress) => {
        const checked = await read()
        dataset = checked.examples
        progress.total(checked.foundCount)
        progress.done(checked.foundCount)
        const characters = dataset.reduce((sum, { question, answer }) => sum + question.length + answer.length, 0)
        const [count, { foundCount }] = [dataset.length, checked]
        run.note('info', say('dataset_built', { kept: count, found: foundCount }))
        return {
          examples: dataset.length,
          duplicates: checked.duplicates,
          refused: checked.refusedCount,
          estimated_tokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
          [DATASET_KEY]: dataset.map(({ id }) => id).join(','),
        }
      })
      await run.step('training', async (): Promise<TaskResults> => {
        const server = fineTuning()
        if (typeof server === 'string') {
          run.note('info', offReasons[server])
          return { uploaded: false }
        }
        if (typeof run.results.job_id !== 'string') {
          if (Number(run.results.examples) < MIN_UPLOADED) {
            run.note('info', say('training_too_few', { least: MIN_UPLOADED }))
            return { uploaded: false }
          }
          if (dataset.length === 0) dataset = (await read()).examples
          const started = await server.start(dataset.map(trainingLine).join(''), run.signal)
          if (started === null) {
            run.note('info', say('training_unknown', {}))
            return { uploaded: false }
          }
          const { model, jobId: job } = started
          run.note('info', say('training_started', { model, job }))
          await run.storeResults({ uploaded: true, job_id: started.jobId, base_model: started.model })
        }
        const jobId = String(run.results.job_id)
        const waitForEnd = async () => {
          for (;;) {
            const { state, detail } = await server.state(jobId, run.signal)
            if (state === 'failed') {
              throw new SentenceError(
                detail == null ? say('training_failed_silently', {}) : say('training_failed', { said: detail }),
              )
            }
            if (state === 'succeeded') return detail
            await sleep(POLL_INTERVAL_MS, undefined, { signal: run.signal })
          }
        }
        try {
          return { fine_tuned_model: await waitForEnd() }
        } catch (error) {
          if (run.isCancelled()) await server.cancel(jobId)
          throw error
        }
      })
    },
  }
}
