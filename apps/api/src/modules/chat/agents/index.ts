import type { Common } from '../../../common.ts'
import { readIntentExamples } from '../../../offline/intents/intent-examples.ts'
import { trainInThread } from '../../../offline/intents/intent-trainer.ts'
import { createMathEngine } from '../../../offline/math/math.ts'
import { createFeedReader } from '../../../parsers/feed/feed-reader.ts'
import { withoutSignature } from '../../../platform/http/signed-url.ts'
import { createOpenMeteo } from '../../../platform/net/open-meteo.ts'
import type { MediaService } from '../../library/index.ts'
import type { MemoryService } from '../../search/index.ts'
import type { McpServersService } from '../mcp-servers/mcp-servers.service.ts'
import { type AgentsService, createAgentsService } from './agents.service.ts'
import { createAgentsStore, createSourceResponsesStore } from './agents.store.ts'
import { createClassifiersStore } from './classifiers.store.ts'
import { createIntentsService, type IntentsService } from './intents.service.ts'
import { createCalculator } from './kinds/calculator.ts'
import { createFile } from './kinds/file.ts'
import { createNews } from './kinds/news.ts'
import { createReminder, type ReminderTools } from './kinds/reminder.ts'
import { createWeather } from './kinds/weather.ts'

/** Dependencies of the agents. */
interface AgentsDeps extends Common {
  media: MediaService
  memory: MemoryService
  reminders: ReminderTools
  mcpServers: McpServersService
  /** Timeout for public sources; each agent has its own default. */
  sourceTimeoutMs: number | undefined
}

/** Builds the agents and their access to outside services. */
export function buildAgents(deps: AgentsDeps): {
  agents: AgentsService
  /** Recognises the agent that a sentence is meant for. */
  intents: IntentsService
  close(): Promise<void>
} {
  const { config, log, database, settings, events, fetcher, ai, media, memory, reminders } = deps
  const { sourceTimeoutMs: timeoutMs } = deps
  const { weatherUrl, geocodingUrl } = config.web
  const math = createMathEngine()
  const responses = createSourceResponsesStore(database)
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
      createWeather({ source, responses, log, timeoutMs }),
      createCalculator({ math }),
      createNews({ feeds: createFeedReader({ fetcher }), newsFeeds, responses, log, timeoutMs }),
      createReminder({ reminders }),
      createFile({ media, memory, seesPictures: () => ai.caption() !== null || ai.imageEmbedding() !== null }),
    ],
    mcpServers: deps.mcpServers,
    store: createAgentsStore(database),
    intents,
    signPath: (userId, path) => deps.signPath(userId, withoutSignature(path)),
    events,
    log,
  })
  return {
    agents,
    intents,
    async close() {
      await intents.close()
      await agents.close()
      await math.close()
    },
  }
}
