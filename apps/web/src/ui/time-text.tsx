/** A relative time ("3 hours ago") with the absolute one in its title. */
export function TimeText({ text, absolute, dateTime, className }: TimeTextProps) {
  return (
    <time dateTime={dateTime} title={absolute} className={className}>
      {text}
    </time>
  )
}

export type TimeTextProps = {
  text: string
  absolute: string
  /** ISO 8601. */
  dateTime: string
  className?: string
}
