import { createHash } from 'node:crypto'
import { type Sentence, say } from '@mira/shared'
import { DATASET_KEY } from '../present-run.ts'
import { SentenceError, type Task, type TaskResults } from '../task.ts'

/** A question and an answer to it that its person rated up and shares. */
export interface RatedAnswer {
  id: string
  question: string
  answer: string
}

/** A server that trains models. */
export interface FineTuning {
  /** Uploads a training set and starts a job; null when the server has no such API. */
  start(lines: string, signal: AbortSignal): Promise<{ jobId: string; model: string } | null>
  state(
    jobId: string,
    signal: AbortSignal,
  ): Promise<{ state: 'running' | 'succeeded' | 'failed'; detail: string | null }>
  cancel(jobId: string): Promise<void>
}

export interface ModelFinetuningDeps {
  /** The newest first. */
  ratedAnswers(limit: number): Promise<RatedAnswer[]>
  /**
   * Fine-tuning API, or the reason for its absence: no server is connected, or administrators don't allow sending
   * answers.
   */
  fineTuning(): FineTuning | 'unconnected' | 'forbidden'
  sleep(signal: AbortSignal): Promise<void>
}

const MINUTE_MS = 60_000
const MAX_ANSWERS = 2000
const LONGEST_CHARACTERS = 16_000
const SHORTEST_ANSWER_CHARACTERS = 2
const CHARACTERS_PER_TOKEN = 4
/** Fewer are refused by the APIs there are. */
const MIN_UPLOADED = 10

const offReasons: Record<'unconnected' | 'forbidden', Sentence> = {
  unconnected: say(
    'training_unconnected',
    {},
    'The data set is kept for download. No model server is connected that could be trained with it.',
  ),
  forbidden: say(
    'training_forbidden',
    {},
    'The data set is kept for download. The settings do not allow it to be sent to the connected server.',
  ),
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

/** Leaves out what is empty, too long or there already in other spacing and case. */
export function checkedAnswers(answers: RatedAnswer[]): { kept: RatedAnswer[]; duplicates: number; refused: number } {
  const seen = new Set<string>()
  const kept: RatedAnswer[] = []
  let duplicates = 0
  let refused = 0
  for (const one of answers) {
    const [question, answer] = [one.question.trim(), one.answer.trim()]
    const isWhole = question !== '' && answer.length >= SHORTEST_ANSWER_CHARACTERS
    if (!isWhole || question.length + answer.length > LONGEST_CHARACTERS) {
      refused++
      continue
    }
    const plain = `${question}\n${answer}`.toLowerCase().replaceAll(/\s+/g, ' ')
    const key = createHash('sha256').update(plain).digest('base64')
    if (seen.has(key)) duplicates++
    else {
      seen.add(key)
      kept.push(one)
    }
  }
  return { kept, duplicates, refused }
}

/** Makes a training set of answers that people liked and share, and has a model trained with it where one can be. */
export function createModelFinetuning({ ratedAnswers, fineTuning, sleep }: ModelFinetuningDeps): Task {
  return {
    schedule: null,
    timeLimitMs: 24 * 60 * MINUTE_MS,
    async run(run) {
      let kept: RatedAnswer[] = []
      const read = async () => {
        const answers = await ratedAnswers(MAX_ANSWERS)
        return { ...checkedAnswers(answers), found: answers.length }
      }
      await run.step('dataset', async (progress) => {
        const checked = await read()
        kept = checked.kept
        progress.total(checked.found)
        progress.done(checked.found)
        const characters = kept.reduce((sum, { question, answer }) => sum + question.length + answer.length, 0)
        const [count, { found }] = [kept.length, checked]
        const text = `${count} of ${found} shared answers are in the training set.`
        run.note('info', say('dataset_built', { kept: count, found }, text))
        return {
          examples: kept.length,
          duplicates: checked.duplicates,
          refused: checked.refused,
          estimated_tokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
          [DATASET_KEY]: kept.map(({ id }) => id).join(','),
        }
      })
      await run.step('training', async (): Promise<TaskResults> => {
        const server = fineTuning()
        if (typeof server === 'string') {
          run.note('info', offReasons[server])
          return { uploaded: false }
        }
        const known = run.results.job_id
        if (typeof known !== 'string') {
          if (Number(run.results.examples) < MIN_UPLOADED) {
            const text = `At least ${MIN_UPLOADED} examples are needed to train a model: the data set is kept.`
            run.note('info', say('training_too_few', { least: MIN_UPLOADED }, text))
            return { uploaded: false }
          }
          if (kept.length === 0) kept = (await read()).kept
          const started = await server.start(kept.map(trainingLine).join(''), run.signal)
          if (started === null) {
            const text = 'The connected server has no API for fine-tuning: the data set is kept for download.'
            run.note('info', say('training_unknown', {}, text))
            return { uploaded: false }
          }
          const { model, jobId: job } = started
          run.note('info', say('training_started', { model, job }, `The server trains ${model}: job ${job}.`))
          await run.keep({ uploaded: true, job_id: started.jobId, base_model: started.model })
        }
        const jobId = String(run.results.job_id)
        const follow = async () => {
          for (;;) {
            const { state, detail } = await server.state(jobId, run.signal)
            if (state === 'failed') {
              const text = `The server could not train the model: ${detail ?? 'it gave no reason'}`
              throw new SentenceError(say('training_failed', { said: detail ?? '' }, text))
            }
            if (state === 'succeeded') return detail
            await sleep(run.signal)
          }
        }
        try {
          return { fine_tuned_model: await follow() }
        } catch (error) {
          if (run.isCancelled()) await server.cancel(jobId)
          throw error
        }
      })
    },
  }
}
