import type { Language, WeatherData } from '@mira/shared'
import { z } from 'zod'
import { BadRequestError, UnavailableError } from '../../../../errors.ts'
import type { Log } from '../../../../log.ts'
import { escapeMarkdown, plainText } from '../../../../offline/requests/reading.ts'
import {
  type RequestedDay,
  readWeatherQuestion,
  weatherConfidence,
} from '../../../../offline/requests/weather-reading.ts'
import { isoDayIn } from '../../../../platform/lib/time-zone-offset.ts'
import { colonIn, localeOf, type Messages, textsIn } from '../../../../platform/messages/texts.ts'
import type { Forecast, SourceResult, WeatherPlace, WeatherSource } from '../../../../platform/net/open-meteo.ts'
import { type AgentContext, type AgentKind, type AgentResult, ageOf } from '../agent-kind.ts'
import type { SourceResponsesStore } from '../agents.store.ts'

/** Age up to which a forecast counts as fresh; the source's own models run every hour. */
const FRESH_MS = 15 * 60_000
/** Short enough to report an unavailable source within three seconds. */
const DEFAULT_TIMEOUT_MS = 2_600
const MIN_TIMEOUT_MS = 300
const MIN_SHOWN_DAYS = 7
const DAY_MS = 86_400_000
const KEY_PREFIX = 'weather:'

const nullableNumber = z.number().nullable()
/** A cached forecast; it contains nothing about the user. */
const cachedSchema = z.object({
  /** Names of the place in every language it was requested in, without accents and in lower case. */
  names: z.array(z.string()),
  place: z.object({ name: z.string(), region: z.string().nullable(), country: z.string().nullable() }),
  forecast: z.object({
    timeZone: z.string(),
    current: z.object({
      observedAt: z.coerce.date(),
      temperatureC: z.number(),
      apparentC: nullableNumber,
      humidityPercent: nullableNumber,
      precipitationMm: nullableNumber,
      windKmh: nullableNumber,
      code: z.number().int(),
    }),
    days: z.array(
      z.object({
        date: z.iso.date(),
        code: z.number().int(),
        minC: z.number(),
        maxC: z.number(),
        precipitationMm: nullableNumber,
        precipitationPercent: nullableNumber,
        windKmh: nullableNumber,
      }),
    ),
  }),
})

interface PlaceWeather {
  place: Pick<WeatherPlace, 'name' | 'region' | 'country'>
  forecast: Forecast
  fetchedAt: Date
  isStale: boolean
}

interface WeatherDeps {
  source: WeatherSource
  responses: SourceResponsesStore
  log: Log
  /** Time limit for both requests to the source together. */
  timeoutMs?: number | undefined
}

/** WeatherAgent: current weather and forecast of a place, from a public source. */
export function createWeather({ source, responses, log, timeoutMs = DEFAULT_TIMEOUT_MS }: WeatherDeps): AgentKind {
  /** Cached forecast by key or by place name; null when missing or unreadable. */
  const readCached = async (lookup: { key: string } | { name: string }) => {
    const cached =
      'key' in lookup
        ? ((await responses.find([lookup.key]))[0] ?? null)
        : await responses.findNamed(KEY_PREFIX, plainText(lookup.name))
    if (cached === null) return null
    const parsed = cachedSchema.safeParse(cached.value)
    return parsed.success ? { ...parsed.data, fetchedAt: cached.fetchedAt } : null
  }

  const readWeather = async (name: string, caller: AgentContext): Promise<PlaceWeather> => {
    const { language, signal, now } = caller
    const text = textsIn('weather', language)
    const startedAt = performance.now()
    const remainingMs = () => Math.max(MIN_TIMEOUT_MS, timeoutMs - (performance.now() - startedAt))
    const fallBack = async (
      result: Extract<SourceResult<unknown>, { isOk: false }>,
      lookup: { key: string } | { name: string },
      place?: WeatherPlace,
    ): Promise<PlaceWeather> => {
      log.warn({ problem: result.problem, status: result.status }, 'the weather service is unavailable')
      const cached = await readCached(lookup)
      if (cached !== null) return { ...cached, place: place ?? cached.place, isStale: true }
      throw new UnavailableError(`${text('unreachable')} ${text('nothingEarlier')}`, { code: 'source_unreachable' })
    }

    caller.progress?.(text('lookingFor', { place: name }))
    const [town = name, ...qualifiers] = name.split(',').map((part) => part.trim())
    const placesResult = await source.findPlaces(town, language, { timeoutMs: remainingMs(), signal })
    if (!placesResult.isOk) return fallBack(placesResult, { name: town })
    const place = bestPlace(placesResult.value, qualifiers)
    if (place === null) throw new BadRequestError(text('placeUnknown', { place: name }), { code: 'place_unknown' })

    const key = `${KEY_PREFIX}${place.latitude.toFixed(2)},${place.longitude.toFixed(2)}`
    const cached = await readCached({ key })
    if (cached !== null && Math.abs(now.getTime() - cached.fetchedAt.getTime()) < FRESH_MS)
      return { ...cached, place, isStale: false }
    caller.progress?.(text('asking', { place: place.name }))
    const forecastResult = await source.forecast(place, { timeoutMs: remainingMs(), signal })
    if (!forecastResult.isOk) return fallBack(forecastResult, { key }, place)
    const names = [...new Set([plainText(place.name), ...(cached?.names ?? [])])].slice(0, 8)
    const { name: placeName, region, country } = place
    const value = { names, place: { name: placeName, region, country }, forecast: forecastResult.value }
    await responses.save({ key, value, fetchedAt: now })
    return { place, forecast: forecastResult.value, fetchedAt: now, isStale: false }
  }

  return {
    name: 'WeatherAgent',
    description: 'Tells the weather of a place now and in the coming days.',
    capabilities: ['current weather', 'forecast for 16 days', 'rain and snow', 'temperature and wind'],
    intents: ['weather in Lyon tomorrow', 'will it rain in Madrid on Sunday?', 'temperature in Berlin'],
    hasSideEffects: false,
    // The source looks up the place by its name.
    sendsOut: true,
    tool: {
      name: 'weather',
      description: 'Tells the current weather and the forecast of up to 16 days for a place anywhere.',
      parameters: {
        type: 'object',
        properties: {
          input: {
            type: 'string',
            description: 'The place and, if one is meant, the day: "Lyon tomorrow", "Paris, France on 2026-12-24".',
          },
        },
        required: ['input'],
        additionalProperties: false,
      },
    },
    confidence: (text) => weatherConfidence(text),
    async run(input, caller) {
      const text = textsIn('weather', caller.language)
      const { place, day } = readWeatherQuestion(input)
      if (place === null) throw new BadRequestError(text('placeMissing'), { code: 'place_missing' })
      const weather = await readWeather(place, caller)
      const { days, requestedDay } = pickDays(weather, day, caller)
      return present(weather, days, requestedDay, caller)
    },
  }
}

/** First place whose country or region contains each qualifier, or else the first place; null when there is none. */
function bestPlace(places: WeatherPlace[], qualifiers: string[]): WeatherPlace | null {
  const plainQualifiers = qualifiers.map(plainText).filter(Boolean)
  const matchesQualifiers = ({ country, region }: WeatherPlace) =>
    plainQualifiers.every((part) => [country, region].some((name) => name !== null && plainText(name).includes(part)))
  return places.find(matchesQualifiers) ?? places[0] ?? null
}

/** Forecast days from today on, in the place's time zone, and the requested day. @throws BadRequestError for a day out of range */
function pickDays({ forecast }: PlaceWeather, wish: RequestedDay | null, { now, language }: AgentContext) {
  const text = textsIn('weather', language)
  const today = dayAt(forecast.timeZone, now)
  const ahead = forecast.days.filter(({ date }) => date >= today)
  const last = ahead.at(-1)
  if (last === undefined) {
    throw new UnavailableError(`${text('unreachable')} ${text('nothingEarlier')}`, { code: 'source_unreachable' })
  }
  if (wish === null) return { days: ahead.slice(0, MIN_SHOWN_DAYS), requestedDay: null }
  const requestedDay = dateOf(wish, today)
  const index = ahead.findIndex(({ date }) => date === requestedDay)
  if (index < 0) {
    throw new BadRequestError(text('dayOutOfRange', { last: dayText(last.date, language) }), {
      code: 'day_out_of_range',
    })
  }
  return { days: ahead.slice(0, Math.max(MIN_SHOWN_DAYS, index + 1)), requestedDay }
}

function dateOf(wish: RequestedDay, today: string): string {
  const start = new Date(`${today}T00:00:00Z`)
  const after = (days: number) => new Date(start.getTime() + days * DAY_MS).toISOString().slice(0, 10)
  if (wish.kind === 'offset') return after(wish.days)
  if (wish.kind === 'weekday') return after((wish.weekday - start.getUTCDay() + 7) % 7)
  const twoDigits = (count: number) => String(count).padStart(2, '0')
  const inYear = (year: number) => `${year}-${twoDigits(wish.month)}-${twoDigits(wish.day)}`
  if (wish.year !== null) return inYear(wish.year)
  const thisYear = inYear(start.getUTCFullYear())
  return thisYear < today ? inYear(start.getUTCFullYear() + 1) : thisYear
}

function dayAt(timeZone: string, now: Date): string {
  try {
    return isoDayIn(timeZone, now)
  } catch {
    // The system doesn't know this time zone.
    return now.toISOString().slice(0, 10)
  }
}

function dayText(date: string, language: Language): string {
  const format = new Intl.DateTimeFormat(localeOf(language), {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  })
  return format.format(new Date(`${date}T00:00:00Z`))
}

function present(
  weather: PlaceWeather,
  days: Forecast['days'],
  requestedDay: string | null,
  caller: AgentContext,
): AgentResult {
  const { place, forecast, fetchedAt, isStale } = weather
  const { language, now } = caller
  const text = textsIn('weather', language)
  const colon = colonIn(language)
  const { current } = forecast
  const figure = (value: number, digits = 0) =>
    new Intl.NumberFormat(localeOf(language), { maximumFractionDigits: digits }).format(value === 0 ? 0 : value)
  const percent = (value: number) => new Intl.NumberFormat(localeOf(language), { style: 'percent' }).format(value / 100)
  const degrees = (value: number) => `${figure(Math.round(value))} °C`
  const placeNames = [place.name, place.region === place.name ? null : place.region, place.country].filter(Boolean)

  const dayFigures = (day: Forecast['days'][number]) =>
    [
      skyText(day.code, language),
      text('range', { from: degrees(day.minC), to: degrees(day.maxC) }),
      day.precipitationPercent === null ? null : text('chance', { percent: percent(day.precipitationPercent) }),
      day.precipitationMm ? text('rain', { millimetres: `${figure(day.precipitationMm, 1)} mm` }) : null,
      day.windKmh === null ? null : text('wind', { speed: `${figure(day.windKmh)} km/h` }),
    ].filter((part) => part !== null)
  const currentFigures = [
    skyText(current.code, language),
    degrees(current.temperatureC),
    current.apparentC === null ? null : text('feelsLike', { degrees: degrees(current.apparentC) }),
    current.windKmh === null ? null : text('wind', { speed: `${figure(current.windKmh)} km/h` }),
    current.humidityPercent === null ? null : text('humidity', { percent: percent(current.humidityPercent) }),
  ].filter((part) => part !== null)

  const chosenDay = days.find(({ date }) => date === requestedDay)
  const headline = chosenDay
    ? `**${dayText(chosenDay.date, language)}${colon}** ${dayFigures(chosenDay).join(', ')}`
    : `**${text('now')}${colon}** ${currentFigures.join(', ')}`
  const list = chosenDay
    ? []
    : days.map((day) => `- ${dayText(day.date, language)}${colon} ${dayFigures(day).slice(0, 3).join(', ')}`)
  const summary = chosenDay
    ? `${place.name}, ${dayText(chosenDay.date, language)}${colon} ${dayFigures(chosenDay).slice(0, 2).join(', ')}`
    : `${place.name}${colon} ${currentFigures.slice(0, 2).join(', ')}`
  const age = isStale ? [text('stale', { age: ageOf(fetchedAt, now, language) })] : []
  const data: WeatherData = {
    kind: 'weather',
    place: place.name,
    region: place.region,
    country: place.country,
    time_zone: forecast.timeZone,
    asked_day: requestedDay,
    current: {
      temperature_c: current.temperatureC,
      apparent_c: current.apparentC,
      wind_kmh: current.windKmh,
      humidity_percent: current.humidityPercent,
      precipitation_mm: current.precipitationMm,
      code: current.code,
      description: skyText(current.code, language),
      observed_at: current.observedAt.toISOString(),
    },
    days: days.map((day) => ({
      date: day.date,
      code: day.code,
      description: skyText(day.code, language),
      min_c: day.minC,
      max_c: day.maxC,
      precipitation_mm: day.precipitationMm,
      precipitation_percent: day.precipitationPercent,
      wind_kmh: day.windKmh,
    })),
    fetched_at: fetchedAt.toISOString(),
    is_stale: isStale,
  }
  const blocks = [...age, `${escapeMarkdown(placeNames.join(', '))}`, headline, list.join('\n')].filter(Boolean)
  return { output: blocks.join('\n\n'), summary, data, quotesOthers: true }
}

/** Description of a WMO weather code. */
function skyText(code: number, language: Language): string {
  const text = textsIn('weather', language)
  const key = `sky.${code}` as `sky.${Exclude<keyof Messages['weather']['sky'], 'unknown'>}`
  return text.has(key) ? text(key) : text('sky.unknown')
}
