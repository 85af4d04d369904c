import { LOCAL_CONNECTION } from '@mira/shared/constants/models'
import { ChevronDown } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { DropdownMenu } from '../../../ui/dropdown-menu.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import type { ChatItem } from '../conversation/conversation-state.ts'
import { useModels } from './use-models.ts'

/** Has another answer made by another model; nothing where there is no other one. */
export function RegenerateWith({ item, isBusy, onChoose }: RegenerateWithProps) {
  const text = useText('chat')
  const others = (useModels() ?? []).filter(({ id }) => id !== item.model_used)
  if (others.length === 0) return null
  return (
    <DropdownMenu
      align="end"
      trigger={
        <IconButton
          size="sm"
          name={text('model.regenerateWith')}
          icon={<ChevronDown aria-hidden />}
          disabled={isBusy}
          className="-ml-1.5"
        />
      }
      entries={[
        { kind: 'heading', key: 'heading', label: text('model.regenerateWith') },
        ...others.map(({ id, name, connection }) => ({
          key: id,
          label: name,
          description: connection === LOCAL_CONNECTION ? text('model.onServer') : connection,
          onSelect: () => onChoose(id),
        })),
      ]}
    />
  )
}

type RegenerateWithProps = { item: ChatItem; isBusy: boolean; onChoose: (model: string) => void }
