import { languages } from '@mira/shared/constants/languages'
import { useEffect, useState } from 'react'
import { createFormat } from '../../lib/format.ts'
import { useLocale, useText } from '../../lib/i18n.ts'
import { browserTimeZone, timeZones } from '../../lib/settings.ts'
import { zonePlace } from '../../lib/time-zones.ts'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Select } from '../../ui/select.tsx'
import { TimeZoneDialog } from './time-zone-dialog.tsx'
import type { SettingsDraft } from './use-settings-draft.ts'

const CLOCK_MS = 10_000
/** Stands for opening the list of all zones. */
const ALL = 'all'

/** Language and time zone of the app. */
export function RegionCard({ draft: { settings, change } }: { draft: SettingsDraft }) {
  const text = useText('settings')
  const now = useNow()
  const { time } = createFormat(useLocale(), settings.timezone)
  const [isChoosing, setIsChoosing] = useState(false)
  const device = browserTimeZone()
  const isNamed = (zone: string) => timeZones.some((named) => named === zone)
  // The device's own zone, and the one that was chosen, where they are none of those that have a name here.
  const others = [...new Set([device, settings.timezone])].filter((zone) => !isNamed(zone))
  const label = (zone: string) =>
    zone === device ? text('region.device', { place: zonePlace(zone) }) : zonePlace(zone)
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
            ...others.map((zone) => ({ value: zone, label: label(zone) })),
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
