import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface ServedPlace {
  name: string
  latitude: number
  longitude: number
  country?: string
  admin1?: string
}

export type WeatherServer = Awaited<ReturnType<typeof startWeatherServer>>

const DAY_MS = 86_400_000

/** Known places, by the requested name in lower case. */
const places: Record<string, ServedPlace[]> = {
  lyon: [{ name: 'Lyon', latitude: 45.74846, longitude: 4.84671, country: 'France', admin1: 'Auvergne-Rhône-Alpes' }],
  madrid: [{ name: 'Madrid', latitude: 40.4165, longitude: -3.70256, country: 'España', admin1: 'Madrid' }],
  'são paulo': [{ name: 'São Paulo', latitude: -23.5475, longitude: -46.63611, country: 'Brasil' }],
  paris: [
    { name: 'Paris', latitude: 48.85341, longitude: 2.3488, country: 'France', admin1: 'Île-de-France' },
    { name: 'Paris', latitude: 33.66094, longitude: -95.55551, country: 'United States', admin1: 'Texas' },
  ],
}

/** Starts a server that responds like Open-Meteo: geocoding under /v1/search, forecasts under /v1/forecast; its zone is UTC+1. */
export async function startWeatherServer() {
  const requests: { path: string; query: Record<string, string> }[] = []
  /** Faults by path, instead of a response. */
  const faults: Record<string, ((response: ServerResponse) => void) | undefined> = {}
  let now = () => new Date()

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    requests.push({ path: url.pathname, query: Object.fromEntries(url.searchParams) })
    const fault = faults[url.pathname]
    if (fault) return fault(response)
    const body = url.pathname === '/v1/search' ? search(url) : forecast(url, now())
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    url: `http://${host}`,
    requests,
    faults,
    hang: () => {},
    setNow: (time: Date) => {
      now = () => time
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function search({ searchParams }: URL) {
  const results = places[searchParams.get('name')?.toLowerCase() ?? '']
  // Open-Meteo leaves `results` out when there are none.
  return { ...(results ? { results } : {}), generationtime_ms: 0.5 }
}

function forecast({ searchParams }: URL, now: Date) {
  const offsetSeconds = 3600
  const local = new Date(now.getTime() + offsetSeconds * 1000)
  const count = Number(searchParams.get('forecast_days'))
  const days = Array.from({ length: count }, (_, index) =>
    new Date(local.getTime() + index * DAY_MS).toISOString().slice(0, 10),
  )
  const perDay = (figureOf: (day: number) => number | null) => days.map((_, day) => figureOf(day))
  return {
    latitude: Number(searchParams.get('latitude')),
    longitude: Number(searchParams.get('longitude')),
    timezone: 'Europe/Paris',
    utc_offset_seconds: offsetSeconds,
    current: {
      time: local.toISOString().slice(0, 16),
      interval: 900,
      temperature_2m: 7.4,
      apparent_temperature: 5.1,
      relative_humidity_2m: 81,
      precipitation: 0.2,
      wind_speed_10m: 12.3,
      weather_code: 61,
    },
    daily: {
      time: days,
      weather_code: perDay((day) => (day === 0 ? 61 : 3)),
      temperature_2m_min: perDay((day) => (day === count - 1 ? null : day - 0.4)),
      temperature_2m_max: perDay((day) => day + 8),
      precipitation_sum: perDay((day) => (day === 0 ? 2.5 : 0)),
      precipitation_probability_max: perDay((day) => (day > 9 ? null : 80 - day)),
      wind_speed_10m_max: perDay(() => 20),
    },
  }
}
