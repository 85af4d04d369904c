import { useEffect, useState } from 'react'
import { useFormat } from '../format/format.ts'
import { zonePlace } from '../format/time-zones.ts'
import { useText } from '../i18n/i18n.ts'

const REFRESH_MS = 15_000
const DAY_MINUTES = 24 * 60

/** Due time in its time zone, and the time left: "18:00 Berlin, in 5 h 39 min". */
export function DueTime({ moment, zone, className }: DueTimeProps) {
  const text = useText('app')
  const format = useFormat(zone)
  const [now, setNow] = useState(() => new Date())

  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), REFRESH_MS)
    return () => clearInterval(timer)
  }, [])

  const minutes = Math.round((new Date(moment).getTime() - now.getTime()) / 60_000)
  const isSoon = minutes > 0 && minutes < DAY_MINUTES
  const isToday = format.date(moment) === format.date(now)
  const clock = `${isToday ? format.time(moment) : format.dateTime(moment)} ${zonePlace(zone)}`
  const hours = Math.floor(minutes / 60)
  const timeLeft = [hours > 0 && `${hours} h`, minutes % 60 > 0 && `${minutes % 60} min`].filter(Boolean).join(' ')
  return (
    <time dateTime={moment} title={`${format.dateTime(moment)} (${zone})`} className={className}>
      {clock}, {isSoon ? text('due', { time: timeLeft }) : format.relative(moment, now)}
    </time>
  )
}

type DueTimeProps = {
  /** ISO 8601. */
  moment: string
  /** An IANA name. */
  zone: string
  className?: string
}
