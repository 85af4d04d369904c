import { useEffect, useState } from 'react'
import { createFormat } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/i18n.ts'
import { languages, timeZones } from '../../lib/settings.ts'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Select } from '../../ui/select.tsx'
import type { SettingsDraft } from './use-settings-draft.ts'

const CLOCK_MS = 10_000

/** Which language the app speaks, and in which time zone it tells the time. */
export function RegionCard({ draft: { settings, change } }: { draft: SettingsDraft }) {
  const text = useText('settings')
  const now = useNow()
  const { time } = createFormat(useLanguage(), settings.timezone)
  const isOffered = timeZones.some((zone) => zone === settings.timezone)
  return (
    <Card>
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
          onValueChange={(timezone) => change({ timezone })}
          options={[
            ...timeZones.map((zone) => ({ value: zone as string, label: text(`region.timeZones.${zone}`) })),
            // A zone that another version of the app stored stays what it is until it is changed.
            ...(isOffered ? [] : [{ value: settings.timezone, label: settings.timezone }]),
          ]}
          hint={text('region.now', { time: time(now) })}
        />
      </div>
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
