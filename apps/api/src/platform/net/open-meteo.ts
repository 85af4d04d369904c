import { z } from 'zod'
import type { FetchProblem, WebFetcher } from './web-fetcher.ts'

/** A place found by the weather source. */
export interface WeatherPlace {
  name: string
  region: string | null
  country: string | null
  latitude: number
  longitude: number
}

/** Forecast for a place; days are in its time zone, today first. */
export interface Forecast {
  timeZone: string
  current: {
    observedAt: Date
    temperatureC: number
    apparentC: number | null
    humidityPercent: number | null
    precipitationMm: number | null
    windKmh: number | null
    code: number
  }
  days: {
    date: string
    code: number
    minC: number
    maxC: number
    precipitationMm: number | null
    precipitationPercent: number | null
    windKmh: number | null
  }[]
}

/** Result of a request to a source, or its failure. */
export type SourceResult<Value> =
  | { isOk: true; value: Value }
  | { isOk: false; problem: FetchProblem | 'unreadable'; status?: number }

export interface SourceOptions {
  timeoutMs: number
  signal?: AbortSignal | undefined
}

export interface WeatherSource {
  /** Places of this name, most prominent first, with names in the given language. */
  findPlaces(name: string, language: string, options: SourceOptions): Promise<SourceResult<WeatherPlace[]>>
  forecast(place: Pick<WeatherPlace, 'latitude' | 'longitude'>, options: SourceOptions): Promise<SourceResult<Forecast>>
}

const MAX_BYTES = 512 * 1024
const FORECAST_DAYS = 16

const shortText = z.string().min(1).max(200)
const placesSchema = z.object({
  results: z
    .array(
      z.object({
        name: shortText,
        latitude: z.number().min(-90).max(90),
        longitude: z.number().min(-180).max(180),
        country: shortText.optional(),
        admin1: shortText.optional(),
      }),
    )
    .max(100)
    .default([]),
})

const figure = z.number().nullish()
const row = z.array(figure).max(31)
const forecastSchema = z.object({
  timezone: shortText,
  utc_offset_seconds: z.number().int().min(-64_800).max(64_800),
  current: z.object({
    time: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/),
    temperature_2m: z.number(),
    apparent_temperature: figure,
    relative_humidity_2m: figure,
    precipitation: figure,
    wind_speed_10m: figure,
    weather_code: z.number().int(),
  }),
  daily: z.object({
    time: z.array(z.iso.date()).min(1).max(31),
    weather_code: row,
    temperature_2m_min: row,
    temperature_2m_max: row,
    precipitation_sum: row,
    precipitation_probability_max: row,
    wind_speed_10m_max: row,
  }),
})

interface OpenMeteoDeps {
  fetcher: WebFetcher
  /** Base URL of `/v1/forecast`. */
  weatherUrl: string
  /** Base URL of `/v1/search`. */
  geocodingUrl: string
}

/** Client of Open-Meteo or a compatible server, which only receives a place name or coordinates. */
export function createOpenMeteo({ fetcher, weatherUrl, geocodingUrl }: OpenMeteoDeps): WeatherSource {
  const fetchJson = async <Schema extends z.ZodType>(
    base: string,
    path: string,
    query: Record<string, string>,
    schema: Schema,
    options: SourceOptions,
  ): Promise<SourceResult<z.output<Schema>>> => {
    const url = new URL(`${base.replace(/(?<!\/)\/+$/, '')}${path}`)
    url.search = new URLSearchParams(query).toString()
    const fetched = await fetcher.get(url.href, { types: ['application/json'], maxBytes: MAX_BYTES, ...options })
    if (!fetched.isOk) return fetched
    const read = schema.safeParse(readJson(fetched.body))
    return read.success ? { isOk: true, value: read.data } : { isOk: false, problem: 'unreadable' }
  }

  return {
    async findPlaces(name, language, options) {
      const query = { name, count: '10', language, format: 'json' }
      const result = await fetchJson(geocodingUrl, '/v1/search', query, placesSchema, options)
      if (!result.isOk) return result
      const places = result.value.results.map(({ admin1, country, ...rest }) => ({
        ...rest,
        region: admin1 ?? null,
        country: country ?? null,
      }))
      return { isOk: true, value: places }
    },

    async forecast({ latitude, longitude }, options) {
      const query = {
        latitude: String(latitude),
        longitude: String(longitude),
        current: 'temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,wind_speed_10m,weather_code',
        daily:
          'weather_code,temperature_2m_min,temperature_2m_max,precipitation_sum,precipitation_probability_max,wind_speed_10m_max',
        timezone: 'auto',
        forecast_days: String(FORECAST_DAYS),
      }
      const forecast = await fetchJson(weatherUrl, '/v1/forecast', query, forecastSchema, options)
      return forecast.isOk ? { isOk: true, value: readForecast(forecast.value) } : forecast
    },
  }
}

function readForecast({ timezone, utc_offset_seconds, current, daily }: z.output<typeof forecastSchema>): Forecast {
  const localTime = new Date(`${current.time.slice(0, 16)}:00Z`).getTime()
  return {
    timeZone: timezone,
    current: {
      observedAt: new Date(localTime - utc_offset_seconds * 1000),
      temperatureC: current.temperature_2m,
      apparentC: current.apparent_temperature ?? null,
      humidityPercent: current.relative_humidity_2m ?? null,
      precipitationMm: current.precipitation ?? null,
      windKmh: current.wind_speed_10m ?? null,
      code: current.weather_code,
    },
    // the last days have no data yet for some places
    days: daily.time.flatMap((date, index) => {
      const [code, minC, maxC] = [
        daily.weather_code[index],
        daily.temperature_2m_min[index],
        daily.temperature_2m_max[index],
      ]
      if (code == null || minC == null || maxC == null) return []
      return {
        date,
        code,
        minC,
        maxC,
        precipitationMm: daily.precipitation_sum[index] ?? null,
        precipitationPercent: daily.precipitation_probability_max[index] ?? null,
        windKmh: daily.wind_speed_10m_max[index] ?? null,
      }
    }),
  }
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}
