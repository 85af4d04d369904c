import { type Config, VERSION } from '../../../config.ts'
import type { Log } from '../../../log.ts'
import { readIntentExamples } from '../../../offline/intents/intent-examples.ts'
import { trainInThread } from '../../../offline/intents/intent-trainer.ts'
import { createMathEngine } from '../../../offline/math/math.ts'
import { createFeedReader } from '../../../parsers/feed/feed-reader.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { withoutSignature } from '../../../platform/http/signed-url.ts'
import { createOpenMeteo } from '../../../platform/net/open-meteo.ts'
import { createSafeFetcher } from '../../../platform/net/safe-fetcher.ts'
import type { SettingsService } from '../../../platform/settings/settings.service.ts'
import type { MediaService } from '../../library/index.ts'
import type { MemoryService } from '../../search/index.ts'
import type { McpServersService } from '../mcp-servers/mcp-servers.service.ts'
import { type AgentsService, createAgentsService } from './agents.service.ts'
import { createAgentsStore, createSourceAnswersStore } from './agents.store.ts'
import { createClassifiersStore } from './classifiers.store.ts'
import { createIntentsService, type IntentsService } from './intents.service.ts'
import { createCalculator } from './kinds/calculator.ts'
import { createFile } from './kinds/file.ts'
import { createNews } from './kinds/news.ts'
import { createReminder, type ReminderTools } from './kinds/reminder.ts'
import { createWeather } from './kinds/weather.ts'

/** Dependencies of the agents. */
export interface AgentsTools {
  log: Log
  database: Database
  settings: SettingsService
  events: Events
  media: MediaService
  memory: MemoryService
  reminders: ReminderTools
  config: Pick<Config, 'web'>
  mcpServers: McpServersService
  signPath(userId: string, path: string): string
  /** Timeout for public sources; each agent has its own default. */
  sourceTimeoutMs: number | undefined
}

/** Builds the agents and their access to outside services. */
export function buildAgents(tools: AgentsTools): {
  agents: AgentsService
  /** Learns which agent a sentence means. */
  intents: IntentsService
  close(): Promise<void>
} {
  const { config, log, database, settings, events, media, memory, reminders } = tools
  const { sourceTimeoutMs: timeoutMs } = tools
  const { allowedHosts, weatherUrl, geocodingUrl } = config.web
  const math = createMathEngine()
  const fetcher = createSafeFetcher({ allowedHosts, userAgent: `Mira/${VERSION} (personal assistant)` })
  const answers = createSourceAnswersStore(database)
  const source = createOpenMeteo({ fetcher, weatherUrl, geocodingUrl })
  const intents = createIntentsService({
    store: createClassifiersStore(database),
    readExamples: readIntentExamples,
    train: trainInThread,
    log,
  })
  const newsFeeds = () => settings.current().news_feeds
  const agents = createAgentsService({
    kinds: [
      createWeather({ source, answers, log, timeoutMs }),
      createCalculator({ math }),
      createNews({ feeds: createFeedReader({ fetcher }), newsFeeds, answers, log, timeoutMs }),
      createReminder({ reminders }),
      createFile({ media, memory }),
    ],
    mcpServers: tools.mcpServers,
    store: createAgentsStore(database),
    intents,
    signPath: (userId, path) => tools.signPath(userId, withoutSignature(path)),
    events,
    log,
  })
  return {
    agents,
    intents,
    async close() {
      await intents.close()
      await fetcher.close()
      await agents.close()
      await math.close()
    },
  }
}
