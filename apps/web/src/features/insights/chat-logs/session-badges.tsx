import type { ChatSessionJson } from '@mira/shared'
import { CircleCheck, CircleDot, Frown, type LucideIcon, Meh, Smile } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'

type Look = { tone: BadgeTone; Icon: LucideIcon }

const statusLooks: Record<ChatSessionJson['status'], Look> = {
  active: { tone: 'accent', Icon: CircleDot },
  completed: { tone: 'neutral', Icon: CircleCheck },
}

const sentimentLooks: Record<ChatSessionJson['sentiment'], Look> = {
  positive: { tone: 'success', Icon: Smile },
  neutral: { tone: 'neutral', Icon: Meh },
  negative: { tone: 'danger', Icon: Frown },
}

/** A conversation's status, and the mood of what the user wrote in it. */
export function SessionBadges({ session: { status, sentiment } }: { session: ChatSessionJson }) {
  const text = useText('chat-logs')
  const Status = statusLooks[status]
  const Sentiment = sentimentLooks[sentiment]
  return (
    <span className="inline-flex flex-wrap gap-1.5 xl:flex-nowrap">
      <Badge tone={Status.tone} icon={<Status.Icon aria-hidden />}>
        {text(`statuses.${status}`)}
      </Badge>
      <Badge tone={Sentiment.tone} icon={<Sentiment.Icon aria-hidden />}>
        {text(`sentiments.${sentiment}`)}
      </Badge>
    </span>
  )
}
