import type { Language } from '@mira/shared'
import { expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import type { AgentContext } from './agent-kind.ts'
import { createAgentsService } from './agents.service.ts'
import type { AgentsStore } from './agents.store.ts'
import { createCalculator } from './kinds/calculator.ts'
import { createFile } from './kinds/file.ts'
import { createNews } from './kinds/news.ts'
import { createReminder } from './kinds/reminder.ts'
import { createWeather } from './kinds/weather.ts'

// Nothing is called: only the agents' parsing is under test.
const nothing = {} as never
const agents = createAgentsService({
  kinds: [
    createWeather({ source: nothing, responses: nothing, log: silentLog, timeoutMs: undefined }),
    createCalculator({ math: nothing }),
    createNews({
      feeds: nothing,
      newsFeeds: () => nothing,
      responses: nothing,
      log: silentLog,
      timeoutMs: undefined,
    }),
    createReminder({ reminders: nothing }),
    createFile({ media: nothing, memory: nothing, seesPictures: () => true }),
  ],
  store: {} as AgentsStore,
  signPath: (_userId, path) => path,
  events: { publish: () => {} },
  log: silentLog,
})
const callerIn = (language: Language): AgentContext => ({
  ...{ userId: 'user', canSearchMemory: true, canReadStored: true },
  ...{ language, timeZone: 'Europe/Madrid', now: new Date('2026-05-06T08:00:00Z') },
})

test.each<[Language, string, string | null]>([
  ['en', 'remind me every day to take my meds at 8pm', 'ReminderAgent'],
  ['en', 'Remind me every day to take my medicine at 21:00', 'ReminderAgent'],
  ['en', 'remind me every week to put the bins out on Tuesday at 7pm', 'ReminderAgent'],
  ['en', 'remind me to buy wine two days before Christmas', 'ReminderAgent'],
  ['es', 'recuérdame en dos semanas comprar un regalo para el 14 de febrero', 'ReminderAgent'],
  ['es', 'recuérdame todos los días tomar las pastillas hasta el viernes a las 8', 'ReminderAgent'],
  ['fr', 'rappelle-moi dans trois jours d’appeler Julie avant vendredi', 'ReminderAgent'],
  ['de', 'erinnere mich jede Woche bis Freitag um 9 an den Bericht', 'ReminderAgent'],
  ['de', 'Erinnere mich daran, morgen um 9 zu tanken', 'ReminderAgent'],
  // The reminder is asked to check a count.
  ['en', 'remind me at 9am to check how many days until Christmas', 'ReminderAgent'],
  ['en', 'how many days until Christmas?', 'CalculatorAgent'],
  ['es', '¿cuántos días faltan para Navidad?', 'CalculatorAgent'],
  ['fr', 'combien de jours avant Noël ?', 'CalculatorAgent'],
  ['de', 'Wie viele Tage noch bis Weihnachten?', 'CalculatorAgent'],
  ['en', 'weather in Lyon tomorrow', 'WeatherAgent'],
  // Questions to the memory
  ['de', 'Erinnere mich daran, was wir besprochen haben', null],
  ['en', 'Remind me again how the event loop works today', null],
  ['en', 'I have a long drive to Munich tomorrow', null],
  ['en', 'how long does it take to get to Chicago on Friday', null],
  ['de', 'Wir sind zwei Wochen bis Sonntag in Rom', null],
  ['en', 'What was my total spending in 2023 and 2024?', null],
  ['en', 'What is the sales forecast for Q3 and Q4 of next year?', null],
  ['fr', 'prévisions de trésorerie 2026', null],
  ['es', '¿Cuál es el pronóstico de ventas?', null],
  ['en', '541-754-3010', null],
])('in %s, “%s” is for %s', (language, sentence, agent) => {
  expect(agents.choose(sentence, callerIn(language)).agent).toBe(agent)
})
