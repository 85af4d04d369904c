import type { ChatModel } from '@mira/shared'
import { type RefObject, useState } from 'react'
import { useFormat } from '../../../lib/format.ts'
import { useText } from '../../../lib/i18n.ts'
import { useUser } from '../../../lib/session.ts'
import { Banner } from '../../../ui/banner.tsx'
import { PopoverPanel } from '../../../ui/popover-panel.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { CompareWith } from '../comparison/compare-with.tsx'
import type { ModelChoice } from '../conversation/conversation-state.ts'
import { withWeb } from '../web/web-switch.tsx'
import { BeginWith } from './begin-with.tsx'
import { ModelList } from './model-list.tsx'
import { ParameterFields } from './parameter-fields.tsx'
import { parametersOf, typedOf } from './typed-parameters.ts'
import { costOf, fullnessOf, type UsedTokens } from './used-tokens.ts'

/** Panel for the model, its parameters and its context use; typed values apply when the panel closes. */
export function ModelPanel({
  anchor,
  models,
  choice,
  answering,
  usedTokens,
  compared,
  onChoose,
  onClose,
}: ModelPanelProps) {
  const text = useText('chat')
  const wanted = useUser().preferences.model
  const [typed, setTyped] = useState(() => typedOf(choice.parameters))

  const close = (model: string | null) => {
    const parameters = parametersOf(typed)
    const isWebOn = choice.parameters?.use_web === true
    const wish = { model, parameters: parameters === undefined ? choice.parameters : withWeb(parameters, isWebOn) }
    const isSame = JSON.stringify(typedOf(wish.parameters)) === JSON.stringify(typedOf(choice.parameters))
    if (model !== choice.model || !isSame) onChoose(wish)
    onClose()
  }
  const isKnown = (id: string) => models.some((model) => model.id === id)
  return (
    <PopoverPanel anchor={anchor} title={text('model.title')} onClose={() => close(choice.model)}>
      <div className="flex flex-col gap-4">
        {choice.model !== null && answering === undefined && (
          <Banner tone="warning">{text('model.gone', { model: choice.model })}</Banner>
        )}
        {wanted !== null && wanted !== choice.model && !isKnown(wanted) && (
          <Banner tone="warning">{text('model.wantedGone', { model: wanted })}</Banner>
        )}
        <ModelList models={models} chosen={choice.model} onChoose={close} />
        {(choice.model === null || answering !== undefined) && (
          <BeginWith model={choice.model} name={answering?.name ?? null} />
        )}
        {usedTokens !== null && <Used used={usedTokens} answering={answering} models={models} />}
        {compared && (
          <CompareWith
            models={models}
            answering={answering?.id}
            chosen={compared.others}
            onChange={compared.onChange}
          />
        )}
        <ParameterFields typed={typed} onChange={setTyped} />
      </div>
    </PopoverPanel>
  )
}

/** Share of the model's context used by the newest answer, and its cost, as far as known. */
function Used({ used, answering, models }: Pick<ModelPanelProps, 'answering' | 'models'> & { used: UsedTokens }) {
  const text = useText('chat')
  const format = useFormat()
  const fullness = fullnessOf(used, answering)
  // another one may be picked by now
  const made = models.find(({ id }) => id === used.model)
  const cost = made ? costOf(used, made) : null
  if (fullness === null && cost === null) return null
  return (
    <div className="flex flex-col gap-1.5">
      {fullness !== null && (
        <Progress
          label={text('model.fullness')}
          value={fullness}
          detail={text('model.fullnessOf', {
            used: format.number(used.input + used.output),
            most: format.number(answering?.context_tokens ?? 0),
          })}
          tone={fullness > 90 ? 'danger' : 'ai'}
        />
      )}
      {made && cost !== null && (
        <p className="text-13 text-muted">{text('model.cost', { cost: format.dollars(cost), model: made.name })}</p>
      )}
    </div>
  )
}

export type ModelPanelProps = {
  anchor: RefObject<HTMLElement | null>
  models: readonly ChatModel[]
  choice: ModelChoice
  /** The one that answers now; undefined when the chosen one is gone, or it is no model of a connection. */
  answering: ChatModel | undefined
  /** Tokens of the newest answer; null when unknown. */
  usedTokens: UsedTokens | null
  /** The models that answer the next message as well; undefined where nothing is compared. */
  compared?: { others: readonly string[]; onChange: (others: readonly string[]) => void } | undefined
  onChoose: (choice: ModelChoice) => void
  onClose: () => void
}
