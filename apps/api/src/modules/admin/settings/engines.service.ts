import { type Capability, capabilities, type EngineState, type EngineTestResponse } from '@mira/shared'
import type { Config } from '../../../config.ts'
import type { Ai } from '../../../engines/ai.ts'
import type { Trial } from '../../../engines/trials/trials.ts'
import { AppError, sentenceOf } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { unlessAborted } from '../../../platform/lib/abort.ts'
import { type Sentence, say } from '../../../sentences.ts'

export type EnginesService = ReturnType<typeof createEnginesService>

/** Maximum duration of a trial; long, since a local model may have to be loaded first. */
const TIMEOUT_MS = 120_000

/** Engines of each capability, and their trials. */
export function createEnginesService({
  config,
  ai,
  trials,
  log,
}: {
  config: Pick<Config, 'remoteAi'>
  ai: Ai
  trials: Record<Capability, Trial>
  log: Log
}) {
  const environment = environmentModels(config)
  const running = new Map<Capability, Promise<EngineTestResponse>>()

  const test = async (capability: Capability): Promise<EngineTestResponse> => {
    const startedAt = performance.now()
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    const withDuration = (outcome: Omit<EngineTestResponse, 'duration_ms'>): EngineTestResponse => ({
      ...outcome,
      duration_ms: Math.round(performance.now() - startedAt),
    })
    try {
      return withDuration(await unlessAborted(trials[capability](timeout), timeout))
    } catch (error) {
      const { engine = null, model = null } = ai.checks()[capability]
      const failed = ({ text, sentences }: Sentence) =>
        withDuration({ ok: false, engine, model, detail: text, told: sentences })
      if (timeout.aborted) {
        const seconds = TIMEOUT_MS / 1000
        return failed(say('trial_slow', { seconds }))
      }
      if (error instanceof AppError) return failed(sentenceOf(error))
      log.warn({ err: error, capability }, 'the trial of an engine failed')
      return failed(say('trial_failed', {}))
    }
  }

  return {
    states(): Record<Capability, EngineState> {
      const current = ai.checks()
      return Object.fromEntries(
        capabilities.map((name): [Capability, EngineState] => {
          const { choices, remoteModels } = ai.options(name)
          return [
            name,
            { check: current[name], choices, remote_models: remoteModels, environment: environment[name] ?? null },
          ]
        }),
      ) as Record<Capability, EngineState>
    },

    /** Tests an engine within two minutes. Concurrent calls share one trial; a failure is a result, not an error. */
    test(capability: Capability): Promise<EngineTestResponse> {
      const current = running.get(capability)
      if (current !== undefined) return current
      const trial = test(capability).finally(() => running.delete(capability))
      running.set(capability, trial)
      return trial
    },
  }
}

/** Environment variable for the model of each capability, and the model set there; null when it isn't set. */
function environmentModels({
  remoteAi,
}: Pick<Config, 'remoteAi'>): Partial<Record<Capability, { variable: string; model: string | null }>> {
  const { chatModel, visionModel, embeddingModel, rerankModel, transcriptionModel, speechModel, imageModel } = remoteAi
  const entry = (variable: string, model: string | undefined) => ({ variable, model: model ?? null })
  return {
    chat: entry('CHAT_MODEL', chatModel),
    vision: entry('VISION_MODEL', visionModel),
    caption: entry('VISION_MODEL', visionModel),
    embedding: entry('EMBEDDING_MODEL', embeddingModel),
    rerank: entry('RERANK_MODEL', rerankModel),
    transcription: entry('TRANSCRIPTION_MODEL', transcriptionModel),
    speech: entry('SPEECH_MODEL', speechModel),
    image_edit: entry('IMAGE_MODEL', imageModel),
  }
}
