import { APIError } from 'openai/core/error'
import { toFile } from 'openai/core/uploads'
import { loadOnce } from '../../platform/lib/load-once.ts'

/** Trains models on a server that speaks the OpenAI protocol. */
export interface RemoteFineTuning {
  /** Uploads a training set (JSON lines) and starts a job; null when the server has no such API. */
  start(lines: string, signal: AbortSignal): Promise<{ jobId: string; model: string } | null>
  /** State of a job; `detail` is the trained model's name, or the failure's reason. */
  state(
    jobId: string,
    signal: AbortSignal,
  ): Promise<{ state: 'running' | 'succeeded' | 'failed'; detail: string | null }>
  cancel(jobId: string): Promise<void>
}

const CALL_TIMEOUT_MS = 120_000
const MAX_RETRIES = 2
/** Status codes of servers that lack the endpoint. */
const MISSING_ENDPOINT_STATUSES = new Set([404, 405, 501])

/** Client of a server's fine-tuning API; `model` is the base model. */
export function createRemoteFineTuning(options: {
  baseUrl: string | undefined
  apiKey: string | undefined
  model: string
}): RemoteFineTuning {
  const { baseUrl, apiKey, model } = options
  const client = loadOnce(async () => {
    const { default: Client } = await import('openai')
    return new Client({
      ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
      apiKey: apiKey ?? 'none',
      organization: null,
      project: null,
      maxRetries: MAX_RETRIES,
      timeout: CALL_TIMEOUT_MS,
      logLevel: 'off',
    })
  })
  return {
    async start(lines, signal) {
      try {
        const { files, fineTuning } = await client()
        const file = await files.create(
          { file: await toFile(Buffer.from(lines), 'training.jsonl'), purpose: 'fine-tune' },
          { signal },
        )
        const job = await fineTuning.jobs.create({ training_file: file.id, model }, { signal, maxRetries: 0 })
        return { jobId: job.id, model }
      } catch (error) {
        if (error instanceof APIError && MISSING_ENDPOINT_STATUSES.has(Number(error.status))) return null
        throw error
      }
    },

    async state(jobId, signal) {
      const job = await (await client()).fineTuning.jobs.retrieve(jobId, { signal })
      if (job.status === 'succeeded') return { state: 'succeeded', detail: job.fine_tuned_model }
      if (job.status === 'failed' || job.status === 'cancelled') {
        return { state: 'failed', detail: job.error?.message ?? `the job is ${job.status}` }
      }
      return { state: 'running', detail: null }
    },

    async cancel(jobId) {
      await (await client()).fineTuning.jobs.cancel(jobId)
    },
  }
}
