import type { ChatModel } from '@mira/shared'
import { LOCAL_CONNECTION } from '@mira/shared/constants/models'
import { ChevronDown, X } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { DropdownMenu } from '../../../ui/dropdown-menu.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import type { ChatItem } from '../conversation/conversation-state.ts'
import { useModels } from './use-models.ts'

/** Menu to regenerate an answer with another model; null when there's no other model. */
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

/** Maximum number of models compared with the conversation's. */
const MAX_OTHERS = 2

/** Picker for other models that also answer the next message; null when there are no other models. */
export function CompareWith({ models, answeringModelId, modelIds, onChange }: CompareWithProps) {
  const text = useText('chat')
  const others = models.filter(({ id }) => id !== answeringModelId)
  if (others.length === 0) return null
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="text-13 font-medium">{text('compare.with')}</legend>
      <p className="mb-1 text-13 text-pretty text-muted">{text('compare.withHint', { max: MAX_OTHERS })}</p>
      <div className="flex max-h-40 flex-col gap-1 overflow-y-auto">
        {others.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            checked={modelIds.includes(id)}
            disabled={!modelIds.includes(id) && modelIds.length >= MAX_OTHERS}
            onCheckedChange={(isChosen) =>
              onChange(isChosen ? [...modelIds, id] : modelIds.filter((one) => one !== id))
            }
          />
        ))}
      </div>
    </fieldset>
  )
}

/** Names the models that the next answer is compared with, with a button to cancel. */
export function ComparisonNotice({ modelIds, onChange }: Pick<CompareWithProps, 'modelIds' | 'onChange'>) {
  const text = useText('chat')
  const models = useModels()
  const names = modelIds.map((id) => models?.find((model) => model.id === id)?.name ?? id).join(', ')
  return (
    <p className="flex items-center gap-2 px-1 text-13 text-muted">
      <span className="min-w-0 truncate">{text('compare.next', { names })}</span>
      <button
        type="button"
        aria-label={text('compare.off')}
        onClick={() => onChange([])}
        className="relative grid size-6 shrink-0 touch-area place-items-center rounded-full transition-colors shade-on-hover"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </p>
  )
}

type CompareWithProps = {
  models: readonly ChatModel[]
  /** Id of the model that answers in any case. */
  answeringModelId: string | undefined
  modelIds: readonly string[]
  onChange: (modelIds: readonly string[]) => void
}
