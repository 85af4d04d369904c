import { type AdminSettings, UPLOAD_MAX_BYTES } from '@mira/shared'
import type { Ai } from './adapters/ai/ai.ts'
import { createTrials } from './adapters/ai/trials.ts'
import type { UseScratch } from './adapters/files/scratch.ts'
import type { Ocr } from './adapters/media/ocr.ts'
import type { Config } from './config.ts'
import type { Database } from './db/client.ts'
import { DEFAULT_NEWS_FEEDS } from './features/settings/default-feeds.ts'
import { createEnginesService, type EnginesService } from './features/settings/engines.service.ts'
import { createSettingsService, type SettingsService } from './features/settings/settings.service.ts'
import { createSettingsStore } from './features/settings/settings.store.ts'
import type { Log } from './log.ts'

/** How late a server is that missed the message of a change. */
const POLL_MS = 15_000

/** What holds until an administrator decides otherwise. */
function defaultsOf(config: Pick<Config, 'assistantName'>): AdminSettings {
  return {
    assistant_name: config.assistantName,
    engines: {},
    limits: { upload_bytes: UPLOAD_MAX_BYTES, storage_bytes_per_user: null },
    retention: {
      activity_days: null,
      agent_run_days: 365,
      notification_days: 90,
      automation_run_days: 365,
      backups_kept: 7,
    },
    news_feeds: DEFAULT_NEWS_FEEDS,
    allows_remote_fine_tuning: false,
  }
}

/** Builds the settings and reads them, so that everything that is built after them can follow them. */
export async function openSettings(ground: {
  config: Pick<Config, 'assistantName'>
  database: Database
  log: Log
}): Promise<SettingsService> {
  const { config, database, log } = ground
  const settings = createSettingsService({
    store: createSettingsStore(database),
    defaults: defaultsOf(config),
    listen: database.listen,
    notify: database.notify,
    pollMs: database.engine === 'server' ? POLL_MS : null,
    log,
  })
  await settings.open()
  return settings
}

/** Builds what tells and tries the engines. */
export function buildEngines(ground: {
  config: Pick<Config, 'remoteAi'>
  ai: Ai
  ocr: Ocr
  useScratch: UseScratch
  log: Log
}): EnginesService {
  const { config, ai, ocr, useScratch, log } = ground
  const { chatModel, visionModel, embeddingModel, transcriptionModel, speechModel, imageModel } = config.remoteAi
  const named = (variable: string, model: string | undefined) => ({ variable, model: model ?? null })
  return createEnginesService({
    checks: ai.checks,
    options: ai.options,
    environment: {
      chat: named('CHAT_MODEL', chatModel),
      vision: named('VISION_MODEL', visionModel),
      caption: named('VISION_MODEL', visionModel),
      embedding: named('EMBEDDING_MODEL', embeddingModel),
      transcription: named('TRANSCRIPTION_MODEL', transcriptionModel),
      speech: named('SPEECH_MODEL', speechModel),
      image_edit: named('IMAGE_MODEL', imageModel),
    },
    trials: createTrials({ ai, ocr, useScratch }),
    log,
  })
}
