import type { WeatherData } from '@mira/shared'
import {
  Cloud,
  CloudDrizzle,
  CloudFog,
  CloudLightning,
  CloudOff,
  CloudRain,
  CloudSnow,
  CloudSun,
  Droplets,
  type LucideIcon,
  Sun,
  Thermometer,
  Umbrella,
  Wind,
} from 'lucide-react'
import { RelativeTime } from '../../../../lib/components/relative-time.tsx'
import { type Format, useFormat } from '../../../../lib/format/format.ts'
import { useLocale, useText } from '../../../../lib/i18n/i18n.ts'
import { classNames } from '../../../../ui/class-names.ts'

/** Fetch time of a source, with a warning if the source couldn't be reached since then. */
export function SourceAge({ fetchedAt, isStale }: { fetchedAt: string; isStale: boolean }) {
  const text = useText('agents')
  return (
    <p
      className={classNames(
        'flex flex-wrap items-center gap-1.5 text-12',
        isStale ? 'text-warning-text' : 'text-muted',
      )}
    >
      {isStale && <CloudOff aria-hidden className="size-3.5 shrink-0" />}
      {text.rich(isStale ? 'source.stale' : 'source.fresh', { age: () => <RelativeTime moment={fetchedAt} /> })}
    </p>
  )
}

/** The weather of a place: now, and the next days. */
export function WeatherCard({ weather }: { weather: WeatherData }) {
  const text = useText('agents')
  const format = useFormat()
  const { current, days, place, region, country } = weather
  const Icon = weatherIcon(current.code)
  const location = [region, country].filter((part) => part !== null && part !== place).join(', ')
  const measurements: [LucideIcon, string, string | null][] = [
    [Thermometer, text('weather.feels'), degrees(current.apparent_c, format)],
    [Wind, text('weather.wind'), withUnit(current.wind_kmh, 'km/h', format)],
    [
      Droplets,
      text('weather.humidity'),
      current.humidity_percent === null ? null : format.percent(current.humidity_percent, 0),
    ],
    [Umbrella, text('weather.rain'), withUnit(current.precipitation_mm, 'mm', format, 1)],
  ]
  return (
    <article className="flex min-w-0 flex-col gap-4 rounded-card border border-border bg-surface-raised p-4 sm:p-5">
      <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
        <Icon aria-hidden className="size-14 shrink-0 text-accent-text" strokeWidth={1.5} />
        <div className="min-w-0 flex-1">
          <h3 className="text-16 font-semibold break-words">
            {place}
            {location !== '' && <span className="font-normal text-muted"> · {location}</span>}
          </h3>
          <p className="flex flex-wrap items-baseline gap-x-3">
            <span className="text-32 font-semibold tabular-nums">{degrees(current.temperature_c, format)}</span>
            <span className="text-14 text-muted">{current.description}</span>
          </p>
        </div>
        <dl className="grid grid-cols-2 gap-x-5 gap-y-1.5 text-13 max-sm:w-full">
          {measurements.map(([MeasurementIcon, name, value]) => (
            <div key={name} className="flex items-center gap-1.5">
              <MeasurementIcon aria-hidden className="size-4 shrink-0 text-muted" />
              <dt className="text-muted">{name}</dt>
              <dd className="font-medium tabular-nums">{value ?? '—'}</dd>
            </div>
          ))}
        </dl>
      </div>
      {days.length > 0 && <ForecastDays weather={weather} />}
      <SourceAge fetchedAt={weather.fetched_at} isStale={weather.is_stale} />
    </article>
  )
}

function ForecastDays({ weather: { days, asked_day: requestedDay } }: { weather: WeatherData }) {
  const text = useText('agents')
  const format = useFormat()
  const locale = useLocale()
  // The dates are those of the place. UTC keeps them independent of the user's time zone.
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', timeZone: 'UTC' })
  return (
    <ul aria-label={text('weather.days')} className="grid grid-cols-[repeat(auto-fit,minmax(3.9rem,1fr))] gap-2">
      {days.map((day) => {
        const Icon = weatherIcon(day.code)
        const isRequested = day.date === requestedDay
        return (
          <li
            key={day.date}
            aria-current={isRequested ? 'date' : undefined}
            className={classNames(
              'flex flex-col items-center gap-1 rounded-control border px-1 py-2.5 text-center text-12',
              isRequested ? 'border-focus bg-accent-soft' : 'border-border',
            )}
          >
            <span className="font-medium">{weekday.format(new Date(`${day.date}T12:00:00Z`))}</span>
            <Icon aria-hidden className="size-6 text-accent-text" strokeWidth={1.75} />
            <span className="w-full text-muted hyphens-auto">{day.description}</span>
            <span className="mt-auto text-13 font-medium tabular-nums">
              {degreesWithoutUnit(day.max_c, format)}{' '}
              <span className="font-normal text-muted">{degreesWithoutUnit(day.min_c, format)}</span>
            </span>
            {day.precipitation_percent !== null && (
              <span className="flex items-center gap-1 text-muted tabular-nums">
                <Umbrella aria-hidden className="size-3" />
                <span className="sr-only">{text('weather.rain')}</span>
                {format.percent(day.precipitation_percent, 0)}
              </span>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Adding 0 turns a rounded -0 into 0. */
function degrees(value: number | null, format: Format): string | null {
  return value === null ? null : `${format.number(Math.round(value) + 0)} °C`
}

/** Saves space in the daily forecast. */
function degreesWithoutUnit(value: number, format: Format): string {
  return `${format.number(Math.round(value) + 0)}°`
}

function withUnit(value: number | null, unit: string, format: Format, digits = 0): string | null {
  return value === null ? null : `${format.number(value, digits)} ${unit}`
}

/** Icon for a weather code (WMO table 4677). */
function weatherIcon(code: number): LucideIcon {
  if (code <= 1) return Sun
  if (code === 2) return CloudSun
  if (code === 3) return Cloud
  if (code <= 48) return CloudFog
  if (code <= 57) return CloudDrizzle
  if (code <= 67 || (code >= 80 && code <= 82)) return CloudRain
  if (code <= 77 || code === 85 || code === 86) return CloudSnow
  return CloudLightning
}
