import { languages } from '@mira/shared/constants/languages'
import { Check } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { createFormat } from '../../../lib/format/format.ts'
import { allTimeZones, zonePlace } from '../../../lib/format/time-zones.ts'
import { useLanguage, useLocale, useText } from '../../../lib/i18n/i18n.ts'
import { browserTimeZone, timeZones } from '../../../lib/session/settings.ts'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { Select } from '../../../ui/select.tsx'
import type { SettingsDraft } from './use-settings-draft.ts'

/** Region codes by the first part of a zone's name; oceans are left out, as their names add nothing to the zone's. */
const codes: Readonly<Record<string, string>> = {
  Africa: '002',
  America: '019',
  Antarctica: 'AQ',
  Asia: '142',
  Australia: 'AU',
  Europe: '150',
}

/**
 * Translated region of a zone: "Europa" of Europe/Berlin, "Amerika Argentina" of America/Argentina/Salta; empty for
 * UTC.
 */
export function zoneRegion(zone: string, language: string): string {
  const [area = '', ...subareas] = zone.split('/').slice(0, -1)
  const code = codes[area]
  const name = code === undefined ? '' : (new Intl.DisplayNames([language], { type: 'region' }).of(code) ?? '')
  return [name, ...subareas].join(' ').replaceAll('_', ' ').trim()
}

/** Picker for any time zone, searchable by city, region or name. */
function TimeZoneDialog({ value, onChoose, onClose }: TimeZoneDialogProps) {
  const text = useText('settings')
  const appText = useText('app')
  const zones = useZones()
  const [query, setQuery] = useState('')
  const words = plain(query).split(' ').filter(Boolean)
  const matches = zones.filter(({ words: zoneWords }) => words.every((word) => zoneWords.includes(word)))
  const choose = (zone: string) => {
    onChoose(zone)
    onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('region.choose')}
      closeLabel={appText('common.close')}
      onSubmit={() => {
        const [first] = matches
        if (first && words.length > 0) choose(first.zone)
      }}
    >
      <SearchField
        label={text('region.search')}
        placeholder={text('region.search')}
        clearLabel={text('region.clear')}
        value={query}
        onValueChange={setQuery}
        data-autofocus=""
      />
      <ul aria-label={text('region.timeZone')} className="mt-3 h-80 overflow-y-auto overscroll-contain">
        {matches.map(({ zone, region, name }) => (
          <li key={zone}>
            <button
              type="button"
              aria-current={zone === value}
              onClick={() => choose(zone)}
              className="flex min-h-11 w-full items-center gap-3 rounded-control px-3 py-1.5 text-left shade-on-hover focus-visible:-outline-offset-2"
            >
              <span className="min-w-0 flex-1">
                <span className="block truncate text-14 font-medium">{zonePlace(zone)}</span>
                <span className="block truncate text-12 text-muted">{[region, name].filter(Boolean).join(' · ')}</span>
              </span>
              {zone === value && <Check aria-hidden className="size-4 shrink-0 text-accent-text" />}
            </button>
          </li>
        ))}
        {matches.length === 0 && (
          <li className="px-3 py-6 text-center text-14 text-muted">{text('region.none', { query })}</li>
        )}
      </ul>
    </Dialog>
  )
}

interface Zone {
  zone: string
  /** "Europe", "Americas Argentina"; empty for UTC. */
  region: string
  /** "Central European Standard Time", translated. */
  name: string
  /** Normalised text for the search. */
  words: string
}

function useZones(): Zone[] {
  const language = useLanguage()
  return useMemo(
    () =>
      allTimeZones().map((zone) => {
        const region = zoneRegion(zone, language)
        const name =
          new Intl.DateTimeFormat(language, { timeZone: zone, timeZoneName: 'long' })
            .formatToParts()
            .find(({ type }) => type === 'timeZoneName')?.value ?? ''
        return { zone, region, name, words: plain(`${zone} ${zonePlace(zone)} ${region} ${name}`) }
      }),
    [language],
  )
}

/** Removes accents, punctuation and case: "sao paulo" for "São_Paulo". */
function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}+]+/gu, ' ')
    .trim()
    .toLowerCase()
}

type TimeZoneDialogProps = {
  /** IANA time zone. */
  value: string
  onChoose: (zone: string) => void
  onClose: () => void
}

const CLOCK_MS = 10_000
/** Value of the menu entry that opens the list of all zones. */
const ALL = 'all'

/** Language and time zone of the app. */
export function RegionCard({ draft: { settings, change } }: { draft: SettingsDraft }) {
  const text = useText('settings')
  const now = useNow()
  const { time } = createFormat(useLocale(), settings.timezone)
  const [isChoosing, setIsChoosing] = useState(false)
  const deviceZone = browserTimeZone()
  const isNamed = (zone: string) => timeZones.some((named) => named === zone)
  // The device's zone and the selected one, unless they're among the zones of the menu.
  const otherZones = [...new Set([deviceZone, settings.timezone])].filter((zone) => !isNamed(zone))
  const label = (zone: string) =>
    zone === deviceZone ? text('region.device', { place: zonePlace(zone) }) : zonePlace(zone)
  return (
    <Card id="region" className="scroll-mt-40">
      <CardHeader title={text('region.title')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          label={text('region.language')}
          value={settings.language}
          onValueChange={(language) => change({ language })}
          options={languages.map((language) => ({ value: language, label: text(`region.languages.${language}`) }))}
        />
        <Select
          label={text('region.timeZone')}
          value={settings.timezone}
          onValueChange={(timezone) => (timezone === ALL ? setIsChoosing(true) : change({ timezone }))}
          options={[
            ...otherZones.map((zone) => ({ value: zone, label: label(zone) })),
            ...timeZones.map((zone) => ({ value: zone as string, label: text(`region.timeZones.${zone}`) })),
            { value: ALL, label: text('region.all') },
          ]}
          hint={text('region.now', { time: time(now) })}
        />
      </div>
      <p className="mt-3 text-12 text-muted">{text('region.everywhere')}</p>
      {isChoosing && (
        <TimeZoneDialog
          value={settings.timezone}
          onChoose={(timezone) => change({ timezone })}
          onClose={() => setIsChoosing(false)}
        />
      )}
    </Card>
  )
}

function useNow(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), CLOCK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
