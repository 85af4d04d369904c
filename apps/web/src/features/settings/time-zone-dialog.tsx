import { Check } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useLanguage, useText } from '../../lib/i18n.ts'
import { allTimeZones, zonePlace } from '../../lib/time-zones.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { zoneRegion } from './zone-region.ts'

/** All time zones of the world, found by city, region or name. */
export function TimeZoneDialog({ value, onChoose, onClose }: TimeZoneDialogProps) {
  const text = useText('settings')
  const appText = useText('app')
  const zones = useZones()
  const [query, setQuery] = useState('')
  const words = plain(query).split(' ').filter(Boolean)
  const found = zones.filter(({ words: own }) => words.every((word) => own.includes(word)))
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
        const [first] = found
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
        {found.map(({ zone, region, name }) => (
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
        {found.length === 0 && (
          <li className="px-3 py-6 text-center text-14 text-muted">{text('region.none', { query })}</li>
        )}
      </ul>
    </Dialog>
  )
}

interface Zone {
  zone: string
  /** "Europe", "Americas Argentina"; empty of UTC. */
  region: string
  /** "Central European Standard Time" in the language that is shown. */
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

/** Without accents, signs and capitals: "sao paulo" of "São_Paulo". */
function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}+]+/gu, ' ')
    .trim()
    .toLowerCase()
}

type TimeZoneDialogProps = {
  /** An IANA name. */
  value: string
  onChoose: (zone: string) => void
  onClose: () => void
}
