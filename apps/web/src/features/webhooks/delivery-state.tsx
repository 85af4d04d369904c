import type { HookDeliveryJson } from '@mira/shared'
import { CircleAlert, CircleCheck, Clock } from 'lucide-react'
import { useText } from '../../lib/i18n.ts'
import { Badge } from '../../ui/badge.tsx'

const looks = {
  delivered: { tone: 'success', Icon: CircleCheck },
  failed: { tone: 'danger', Icon: CircleAlert },
  waiting: { tone: 'warning', Icon: Clock },
} as const

/** Badge with the outcome of a delivery. */
export function DeliveryState({ state }: Pick<HookDeliveryJson, 'state'>) {
  const text = useText('webhooks')
  const { tone, Icon } = looks[state]
  return (
    <Badge tone={tone} icon={<Icon aria-hidden />}>
      {text(`state.${state}`)}
    </Badge>
  )
}

/** Says why a delivery did not arrive; null when it did, or was not tried yet. */
export function useProblemText(): (delivery: HookDeliveryJson) => string | null {
  const text = useText('webhooks')
  return ({ problem, status }) => problem && text(`problem.${problem}`, { status: String(status ?? '') })
}
