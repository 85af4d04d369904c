import type { ChatParameters } from '@mira/shared'
import { queryOptions } from '@tanstack/react-query'
import { Globe } from 'lucide-react'
import { call } from '../../../lib/api/client.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useQueryOncePainted } from '../../../lib/loading/queries.ts'
import { classNames } from '../../../ui/class-names.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import type { ModelChoice } from '../conversation/conversation-state.ts'
import { useModels } from './use-models.ts'

const STALE_MS = 60_000

/** Web access available to conversations. */
export const webQuery = queryOptions({
  queryKey: ['web'],
  queryFn: ({ signal }) => call('GET /web', { signal }),
  staleTime: STALE_MS,
})

/** Switch for web access in this conversation, where an administrator allows it and a model is connected. */
export function WebSwitch({ choice, isBusy, onChoose }: WebSwitchProps) {
  const text = useText('chat')
  const { data } = useQueryOncePainted(webQuery)
  const models = useModels()
  const isOn = choice.parameters?.use_web === true
  if (!data?.allowed || models === undefined || models.length === 0) return null
  return (
    <IconButton
      name={text(isOn ? 'web.on' : 'web.off')}
      icon={<Globe aria-hidden />}
      aria-pressed={isOn}
      disabled={isBusy}
      className={classNames(isOn && 'bg-accent-soft text-accent-text')}
      onClick={() => onChoose({ ...choice, parameters: withWeb(choice.parameters, !isOn) })}
    />
  )
}

/** Parameters with the web on or off; null when none are left. */
export function withWeb(parameters: ChatParameters | null, isOn: boolean): ChatParameters | null {
  const { use_web: _before, ...others } = parameters ?? {}
  if (isOn) return { ...others, use_web: true }
  return Object.keys(others).length === 0 ? null : others
}

type WebSwitchProps = { choice: ModelChoice; isBusy: boolean; onChoose: (choice: ModelChoice) => void }
