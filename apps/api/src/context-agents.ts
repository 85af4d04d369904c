import type { NewsFeed } from '@mira/shared'
import { createMathEngine } from './adapters/math/math.ts'
import { createFeedReader } from './adapters/web/feed-reader.ts'
import { createOpenMeteo } from './adapters/web/open-meteo.ts'
import { createSafeFetcher } from './adapters/web/safe-fetcher.ts'
import { type Config, VERSION } from './config.ts'
import type { Database } from './db/client.ts'
import type { AgentKind } from './features/agents/agent-kind.ts'
import { type AgentsService, createAgentsService } from './features/agents/agents.service.ts'
import { createAgentsStore } from './features/agents/agents.store.ts'
import { createClassifiersStore } from './features/agents/classifiers.store.ts'
import { readIntentExamples } from './features/agents/intent-examples.ts'
import { trainInThread } from './features/agents/intent-trainer.ts'
import { createIntentsService, type IntentsService } from './features/agents/intents.service.ts'
import { createCalculator } from './features/agents/kinds/calculator.ts'
import { createNews } from './features/agents/kinds/news.ts'
import { createWeather } from './features/agents/kinds/weather.ts'
import { createSourceAnswersStore } from './features/agents/source-answers.store.ts'
import type { Log } from './log.ts'

/** What the agents are built on. */
export interface AgentsGround {
  config: Pick<Config, 'web'>
  database: Database
  newsFeeds(): NewsFeed[]
  /** Agents that work on a person's own things. */
  ownKinds: AgentKind[]
  /** How long public sources are waited for; each agent knows how long by itself. */
  sourceTimeoutMs?: number | undefined
  log: Log
}

/** Builds the agents and what they reach the world with. */
export function buildAgents(ground: AgentsGround): {
  agents: AgentsService
  /** Learns which agent a sentence means. */
  intents: IntentsService
  close(): Promise<void>
} {
  const { config, database, newsFeeds, ownKinds, sourceTimeoutMs: timeoutMs, log } = ground
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
  const agents = createAgentsService({
    kinds: [
      createWeather({ source, answers, log, timeoutMs }),
      createCalculator({ math }),
      createNews({ feeds: createFeedReader({ fetcher }), newsFeeds, answers, log, timeoutMs }),
      ...ownKinds,
    ],
    store: createAgentsStore(database),
    guessIntent: intents.guess,
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
