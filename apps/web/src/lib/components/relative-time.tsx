import { useEffect, useState } from 'react'
import { TimeText } from '../../ui/time-text.tsx'
import { useFormat } from '../format/format.ts'

const REFRESH_MS = 30_000

/** Time since an event, kept up to date, with the exact time in its tooltip. */
export function RelativeTime({ moment, className }: RelativeTimeProps) {
  const format = useFormat()
  const [now, setNow] = useState(() => new Date())

  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), REFRESH_MS)
    return () => clearInterval(timer)
  }, [])

  // An event after the last tick must not appear to be in the future.
  const at = new Date(moment) > now ? new Date() : now
  return (
    <TimeText
      text={format.relative(moment, at)}
      absolute={format.dateTime(moment)}
      dateTime={moment}
      className={className}
    />
  )
}

type RelativeTimeProps = {
  /** ISO 8601. */
  moment: string
  className?: string
}
