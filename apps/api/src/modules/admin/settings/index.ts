import type { Config } from '../../../config.ts'
import type { Ai } from '../../../engines/ai.ts'
import { createTrials } from '../../../engines/trials/trials.ts'
import type { Log } from '../../../log.ts'
import type { Ocr } from '../../../parsers/ocr/ocr.ts'
import type { Database } from '../../../platform/database/client.ts'
import { defaultSettings } from '../../../platform/settings/default-settings.ts'
import { createSettingsService, type SettingsService } from '../../../platform/settings/settings.service.ts'
import { createSettingsStore } from '../../../platform/settings/settings.store.ts'
import type { UseScratch } from '../../../platform/storage/scratch.ts'
import { createEnginesService, type EnginesService } from './engines.service.ts'

/** Maximum delay of a server that missed the message about a change. */
const POLL_MS = 15_000

/** Builds the settings and reads them, so that everything that is built after them can follow them. */
export async function openSettings(tools: {
  config: Pick<Config, 'assistantName' | 'oidc' | 'backupOffsite'>
  database: Database
  log: Log
}): Promise<SettingsService> {
  const { config, database, log } = tools
  const settings = createSettingsService({
    store: createSettingsStore(database),
    defaults: defaultSettings(config.assistantName, {
      oidcCreatesAccounts: config.oidc?.createsAccounts ?? false,
      backupOffsite: config.backupOffsite,
    }),
    listen: database.listen,
    notify: database.notify,
    pollMs: database.engine === 'server' ? POLL_MS : null,
    log,
  })
  await settings.open()
  return settings
}

/** Builds what tells and tries the engines. */
export function buildEngines(tools: {
  config: Pick<Config, 'remoteAi'>
  ai: Ai
  ocr: Ocr
  useScratch: UseScratch
  log: Log
}): EnginesService {
  const { config, ai, ocr, useScratch, log } = tools
  const { chatModel, visionModel, embeddingModel, rerankModel, transcriptionModel, speechModel, imageModel } =
    config.remoteAi
  const named = (variable: string, model: string | undefined) => ({ variable, model: model ?? null })
  return createEnginesService({
    checks: ai.checks,
    options: ai.options,
    environment: {
      chat: named('CHAT_MODEL', chatModel),
      vision: named('VISION_MODEL', visionModel),
      caption: named('VISION_MODEL', visionModel),
      embedding: named('EMBEDDING_MODEL', embeddingModel),
      rerank: named('RERANK_MODEL', rerankModel),
      transcription: named('TRANSCRIPTION_MODEL', transcriptionModel),
      speech: named('SPEECH_MODEL', speechModel),
      image_edit: named('IMAGE_MODEL', imageModel),
    },
    trials: createTrials({ ai, ocr, useScratch }),
    log,
  })
}
