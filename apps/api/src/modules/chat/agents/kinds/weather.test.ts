import type { Language } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../../../../test/database-template.ts'
import { startWeatherServer, type WeatherServer } from '../../../../../test/weather-server.ts'
import { createOpenMeteo } from '../../../../platform/net/open-meteo.ts'
import { createSafeFetcher } from '../../../../platform/net/safe-fetcher.ts'
import type { WebFetcher } from '../../../../platform/net/web-fetcher.ts'
import type { AgentKind } from '../agent-kind.ts'
import type { SourceResponse } from '../agents.store.ts'
import { createWeather } from './weather.ts'

const somebody = { userId: 'somebody', canSearchMemory: false, canReadStored: false }

const NOON = new Date('2026-11-20T12:00:00Z')
const HOUR_MS = 3_600_000

let server: WeatherServer
let fetcher: WebFetcher
let weather: AgentKind
/** Times out after 200 ms. */
let impatientWeather: AgentKind
const cachedResponses = new Map<string, SourceResponse>()
/** Stand-in for the database, which stores responses as JSON. */
const responses = {
  find: async (keys: string[]) => keys.flatMap((key) => cachedResponses.get(key) ?? []),
  findNamed: async (prefix: string, name: string) =>
    [...cachedResponses.values()].find(
      ({ key, value }) => key.startsWith(prefix) && (value as { names: string[] }).names.includes(name),
    ) ?? null,
  save: async (response: SourceResponse) =>
    void cachedResponses.set(response.key, JSON.parse(JSON.stringify(response), revive)),
}
const revive = (name: string, value: unknown) => (name === 'fetchedAt' ? new Date(String(value)) : value)

beforeAll(async () => {
  server = await startWeatherServer()
  fetcher = createSafeFetcher({ allowedHosts: [server.host], userAgent: 'Mira/test' })
  const source = createOpenMeteo({ fetcher, weatherUrl: server.url, geocodingUrl: `${server.url}/` })
  weather = createWeather({ source, responses, log: silentLog, timeoutMs: 30_000 })
  impatientWeather = createWeather({ source, responses, log: silentLog, timeoutMs: 200 })
})
afterAll(async () => {
  await fetcher.close()
  server.close()
})
beforeEach(() => {
  cachedResponses.clear()
  server.requests.length = 0
  for (const path of Object.keys(server.faults)) delete server.faults[path]
  server.setNow(NOON)
})

const ask = (input: string, language: Language = 'en', now = NOON, kind = weather) =>
  kind.run(input, { ...somebody, language, timeZone: 'UTC', now })
const setFetchedAt = (time: Date) => {
  for (const response of cachedResponses.values()) response.fetchedAt = time
}

test('reports the current weather and forecast of a place, sending nothing but the place', async () => {
  const { output, summary, data, quotesOthers } = await ask('What is the weather in Lyon?')
  expect(summary).toBe('Lyon: light rain, 7 °C')
  expect(output).toContain('Lyon, Auvergne-Rhône-Alpes, France')
  expect(output).toContain('**Now:** light rain, 7 °C, feels like 5 °C, wind 12 km/h, humidity 81%')
  expect(output).toContain('- Saturday 21 November: overcast, 1 °C to 9 °C, chance of precipitation 79%')
  expect(quotesOthers).toBe(true)
  expect(data).toMatchObject({
    kind: 'weather',
    place: 'Lyon',
    region: 'Auvergne-Rhône-Alpes',
    country: 'France',
    time_zone: 'Europe/Paris',
    asked_day: null,
    current: { temperature_c: 7.4, code: 61, description: 'light rain', observed_at: '2026-11-20T12:00:00.000Z' },
    is_stale: false,
  })
  expect(data.kind === 'weather' && data.days.map(({ date }) => date.slice(8))).toEqual([
    '20',
    '21',
    '22',
    '23',
    '24',
    '25',
    '26',
  ])
  expect(server.requests.map(({ path, query }) => [path, query.name ?? query.latitude])).toEqual([
    ['/v1/search', 'Lyon'],
    ['/v1/forecast', '45.74846'],
  ])
})

test.each<[Language, string, string]>([
  ['en', 'weather in Lyon tomorrow', 'Lyon, Saturday 21 November: overcast, 1 °C to 9 °C'],
  ['en', 'weather in Lyon on Sunday', 'Lyon, Sunday 22 November: overcast, 2 °C to 10 °C'],
  ['en', 'weather in Lyon on 2026-12-04', 'Lyon, Friday 4 December: overcast, 14 °C to 22 °C'],
  ['es', '¿lloverá mañana en Madrid?', 'Madrid, sábado, 21 de noviembre: cubierto, de 1 °C a 9 °C'],
  ['fr', 'Quel temps fera-t-il demain à Lyon ?', 'Lyon, samedi 21 novembre\u00a0: couvert, de 1 °C à 9 °C'],
  ['de', 'Wie wird das Wetter übermorgen in São Paulo?', 'São Paulo, Sonntag, 22. November: bedeckt, 2 °C bis 10 °C'],
])('%s: %s', async (language, input, summary) => {
  expect((await ask(input, language)).summary).toBe(summary)
})

test('chooses the place in the named country or state when several share a name', async () => {
  expect((await ask('weather in Paris')).data).toMatchObject({ country: 'France' })
  expect((await ask('weather in Paris, Texas')).data).toMatchObject({ country: 'United States', region: 'Texas' })
})

test('caches the forecast by coordinates for a limited time, without the typed text', async () => {
  await ask('weather in LYON tomorrow')
  await ask('météo Lyon', 'fr')
  expect(server.requests.filter(({ path }) => path === '/v1/forecast')).toHaveLength(1)
  expect([...cachedResponses.keys()]).toEqual(['weather:45.75,4.85'])
  expect(JSON.stringify([...cachedResponses.values()])).not.toMatch(/LYON|météo|tomorrow/)
  setFetchedAt(new Date(NOON.getTime() - HOUR_MS))
  await ask('weather in Lyon')
  expect(server.requests.filter(({ path }) => path === '/v1/forecast')).toHaveLength(2)
  // cached while the clock was ahead
  setFetchedAt(new Date(NOON.getTime() + HOUR_MS))
  await ask('weather in Lyon')
  expect(server.requests.filter(({ path }) => path === '/v1/forecast')).toHaveLength(3)
})

describe('when the source is unavailable', () => {
  test.each([
    ['hangs', '/v1/forecast'],
    ['hangs', '/v1/search'],
    ['fails', '/v1/forecast'],
    ['fails', '/v1/search'],
    ['sends invalid JSON', '/v1/forecast'],
    ['sends invalid JSON', '/v1/search'],
  ])('(it %s at %s) uses the last response and shows its age, or fails when there is none', async (fault, path) => {
    await ask('weather in Lyon')
    setFetchedAt(new Date(NOON.getTime() - 3 * HOUR_MS))
    server.faults[path] = (response) => {
      if (fault === 'fails') response.writeHead(503, { 'content-type': 'application/json' }).end('{}')
      if (fault === 'sends invalid JSON')
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"daily": 1')
    }
    const kind = fault === 'hangs' ? impatientWeather : weather
    const staleResult = ask('weather in lyon tomorrow', 'en', NOON, kind)
    const refusal = ask('¿Qué tiempo hace en Madrid?', 'es', NOON, kind)
    await expect(refusal).rejects.toMatchObject({
      status: 503,
      code: 'source_unreachable',
      message:
        'Ahora mismo no se puede conectar con el servicio del tiempo. No hay ninguna respuesta anterior para este lugar. Inténtalo más tarde.',
    })
    const { output, data } = await staleResult
    expect(data).toMatchObject({ is_stale: true, place: 'Lyon', fetched_at: '2026-11-20T09:00:00.000Z' })
    expect(output).toContain('This is its last answer, from 3 hours ago.')
    expect(output).toContain('**Saturday 21 November:**')
  })

  test('ignores a cached response whose days have passed', async () => {
    await ask('weather in Lyon')
    server.faults['/v1/search'] = (response) => response.destroy()
    await expect(ask('weather in Lyon', 'en', new Date(NOON.getTime() + 20 * 24 * HOUR_MS))).rejects.toMatchObject({
      code: 'source_unreachable',
    })
  })
})

test.each<[Language, string, string, string]>([
  ['en', 'what is the weather?', 'place_missing', 'Tell me the place as well, such as “weather in Lyon tomorrow”.'],
  ['de', 'Wetter in Nirgendwo', 'place_unknown', 'Ich kenne keinen Ort namens „Nirgendwo“.'],
  [
    'en',
    'weather in Lyon on 2026-12-24',
    'day_out_of_range',
    'The forecast only goes from today to Friday 4 December.',
  ],
  [
    'fr',
    'météo à Lyon dans 30 jours',
    'day_out_of_range',
    'Les prévisions vont seulement d’aujourd’hui au vendredi 4 décembre.',
  ],
])('%s: %s is rejected with the reason', async (language, input, code, message) => {
  await expect(ask(input, language)).rejects.toMatchObject({
    status: 400,
    code,
    message: expect.stringContaining(message),
  })
})
