import { useMemo } from 'react'
import { useLocale, useText } from '../../../lib/i18n/i18n.ts'
import { useSettings } from '../../../lib/session/settings.ts'
import { createDays, type DayNames } from './days.ts'

const HOUR_MS = 3_600_000

/** The days of the language that is shown and the time zone of the settings. */
export function useDays(): DayNames {
  const text = useText('chat')
  const locale = useLocale()
  const { timezone } = useSettings()
  // Days begin at full hours, or at halves: "today" moves on with the first drawing after that.
  const halfHour = Math.floor(Date.now() / (HOUR_MS / 2))
  return useMemo(
    () =>
      createDays(locale, timezone, new Date(halfHour * (HOUR_MS / 2)), {
        today: text('days.today'),
        yesterday: text('days.yesterday'),
      }),
    [locale, timezone, text, halfHour],
  )
}
