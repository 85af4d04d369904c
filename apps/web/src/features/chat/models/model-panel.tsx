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
import { costOf, type UsedTokens } from './used-tokens.ts'

/** Which model answers, how, and how full it is; what was typed holds once the panel closes. */
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
        {usedTokens !== null && <Used used={usedTokens} most={answering?.context_tokens ?? null} models={models} />}
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

/** How much of what the model holds the newest answer took, and what that cost, as far as either is known. */
function Used({ used, most, models }: { used: UsedTokens; most: number | null; models: readonly ChatModel[] }) {
  const text = useText('chat')
  const format = useFormat()
  const tokens = used.input + used.output
  const cost = costOf(used, models)
  if (!most && cost === null) return null
  return (
    <div className="flex flex-col gap-1.5">
      {most ? (
        <Progress
          label={text('model.fullness')}
          value={(tokens / most) * 100}
          detail={text('model.fullnessOf', { used: format.number(tokens), most: format.number(most) })}
          tone={tokens / most > 0.9 ? 'danger' : 'ai'}
        />
      ) : null}
      {cost !== null && <p className="text-13 text-muted">{text('model.cost', { cost: format.dollars(cost) })}</p>}
    </div>
  )
}

export type ModelPanelProps = {
  anchor: RefObject<HTMLElement | null>
  models: readonly ChatModel[]
  choice: ModelChoice
  /** The one that answers now; undefined when the chosen one is gone, or it is no model of a connection. */
  answering: ChatModel | undefined
  /** Of the newest answer; null when that is not known. */
  usedTokens: UsedTokens | null
  /** The models that answer the next message as well; undefined where nothing is compared. */
  compared?: { others: readonly string[]; onChange: (others: readonly string[]) => void } | undefined
  onChoose: (choice: ModelChoice) => void
  onClose: () => void
}
