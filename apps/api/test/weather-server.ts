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

/** The places that the server knows, by the name that is asked for, in lower case. */
const places: Record<string, ServedPlace[]> = {
  lyon: [{ name: 'Lyon', latitude: 45.74846, longitude: 4.84671, country: 'France', admin1: 'Auvergne-Rhône-Alpes' }],
  madrid: [{ name: 'Madrid', latitude: 40.4165, longitude: -3.70256, country: 'España', admin1: 'Madrid' }],
  'são paulo': [{ name: 'São Paulo', latitude: -23.5475, longitude: -46.63611, country: 'Brasil' }],
  paris: [
    { name: 'Paris', latitude: 48.85341, longitude: 2.3488, country: 'France', admin1: 'Île-de-France' },
    { name: 'Paris', latitude: 33.66094, longitude: -95.55551, country: 'United States', admin1: 'Texas' },
  ],
}

/** A server that speaks as Open-Meteo does: geocoding under /v1/search, forecasts under /v1/forecast; its zone is UTC+1. */
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
    const answer = url.pathname === '/v1/search' ? search(url) : forecast(url, now())
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(answer))
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
  // without results the source leaves them out
  return { ...(results ? { results } : {}), generationtime_ms: 0.5 }
}

function forecast({ searchParams }: URL, now: Date) {
  const offsetSeconds = 3600
  const local = new Date(now.getTime() + offsetSeconds * 1000)
  const count = Number(searchParams.get('forecast_days'))
  const days = Array.from({ length: count }, (_, at) =>
    new Date(local.getTime() + at * DAY_MS).toISOString().slice(0, 10),
  )
  const each = (figure: (at: number) => number | null) => days.map((_, at) => figure(at))
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
      weather_code: each((at) => (at === 0 ? 61 : 3)),
      temperature_2m_min: each((at) => (at === count - 1 ? null : at - 0.4)),
      temperature_2m_max: each((at) => at + 8),
      precipitation_sum: each((at) => (at === 0 ? 2.5 : 0)),
      precipitation_probability_max: each((at) => (at > 9 ? null : 80 - at)),
      wind_speed_10m_max: each(() => 20),
    },
  }
}
