import type { ChatModel, ChatParameters } from '@mira/shared'
import { LOCAL_CONNECTION, reasoningEfforts } from '@mira/shared/constants/models'
import { useMutation } from '@tanstack/react-query'
import { Check, ChevronRight, Eye } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { useFormat } from '../../../lib/format/format.ts'
import { typedNumber } from '../../../lib/format/typed-number.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { session, useUser } from '../../../lib/session/session.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { NumberField } from '../../../ui/number-field.tsx'
import { PopoverPanel } from '../../../ui/popover-panel.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { Select } from '../../../ui/select.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import type { ModelChoice } from '../conversation/conversation-state.ts'
import { CompareWith } from './compare-with.tsx'
import { costOf, fullnessOf, type UsedTokens } from './use-models.ts'
import { withWeb } from './web-switch.tsx'

/** Number of models from which there's a search field. */
const SEARCHED_FROM = 8

/** Selectable models and the default; arrow keys move between them. */
function ModelList({ models, selected, onChoose }: ModelListProps) {
  const text = useText('chat')
  const common = useText('app')
  const [query, setQuery] = useState('')
  const defaultModel = models.find(({ is_default }) => is_default)
  const words = query.trim().toLowerCase()
  const matches = models.filter(({ name, connection }) => `${name} ${connection}`.toLowerCase().includes(words))
  return (
    <div className="flex flex-col gap-2">
      {models.length >= SEARCHED_FROM && (
        <SearchField
          label={text('model.search')}
          clearLabel={common('common.clearSearch')}
          placeholder={text('model.search')}
          value={query}
          onValueChange={setQuery}
        />
      )}
      <ul
        aria-label={text('model.title')}
        onKeyDown={moveFocus}
        className="-mx-2 flex max-h-64 flex-col overflow-y-auto"
      >
        {words === '' && (
          <li>
            <Choice isChosen={selected === null} onChoose={() => onChoose(null)}>
              <span className="block truncate text-14">{text('model.default')}</span>
              <span className="block truncate text-12 text-muted">
                {defaultModel === undefined ? text('model.defaultText') : defaultModel.name}
              </span>
            </Choice>
          </li>
        )}
        {matches.map((model) => (
          <li key={model.id}>
            <Choice isChosen={selected === model.id} onChoose={() => onChoose(model.id)}>
              <span className="block truncate text-14">{model.name}</span>
              <Traits model={model} />
            </Choice>
          </li>
        ))}
      </ul>
      {matches.length === 0 && <p className="text-13 text-muted">{text('model.noneFound', { query: query.trim() })}</p>}
    </div>
  )
}

function Choice({ isChosen, onChoose, children }: ChoiceProps) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className={classNames(
        'flex min-h-11 w-full items-center gap-2 rounded-control px-2 py-1.5 text-left shade-on-hover',
        isChosen && 'bg-row-selected',
      )}
    >
      <span className="min-w-0 flex-1">{children}</span>
      {isChosen && <Check aria-hidden className="size-4 shrink-0 text-accent-text" />}
    </button>
  )
}

/** The model's server and known abilities. */
function Traits({ model: { connection, vision, context_tokens } }: { model: ChatModel }) {
  const text = useText('chat')
  const format = useFormat()
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 text-12 text-muted">
      <span className="min-w-0 truncate">{connection === LOCAL_CONNECTION ? text('model.onServer') : connection}</span>
      {context_tokens !== null && <span>{text('model.holds', { tokens: format.number(context_tokens) })}</span>}
      {vision && (
        <span className="flex items-center gap-1">
          <Eye aria-hidden className="size-3.5" />
          {text('model.sees')}
        </span>
      )}
    </span>
  )
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const choices = [...event.currentTarget.querySelectorAll('button')]
  const index = choices.indexOf(document.activeElement as HTMLButtonElement)
  choices[Math.max(0, Math.min(choices.length - 1, index + step))]?.focus()
}

type ChoiceProps = { isChosen: boolean; onChoose: () => void; children: React.ReactNode }

type ModelListProps = {
  models: readonly ChatModel[]
  /** Null for the default. */
  selected: string | null
  onChoose: (model: string | null) => void
}

/** Bounds of the fields, the same as the server's. */
const parameterBounds = {
  temperature: { min: 0, max: 2 },
  top_p: { min: 0, max: 1 },
  max_tokens: { min: 1, max: 1_000_000 },
} as const

type NumberParameter = keyof typeof parameterBounds
const numberParameters = Object.keys(parameterBounds) as NumberParameter[]

/** Contents of the parameter fields; empty for the default of the model's server. */
type TypedParameters = Record<NumberParameter | 'reasoning_effort', string>

function typedOf(parameters: ChatParameters | null): TypedParameters {
  const { temperature, top_p, max_tokens, reasoning_effort = '' } = parameters ?? {}
  return {
    temperature: String(temperature ?? ''),
    top_p: String(top_p ?? ''),
    max_tokens: String(max_tokens ?? ''),
    reasoning_effort,
  }
}

const numberOf = (name: NumberParameter, typed: string) => typedNumber(typed, name === 'max_tokens')

/** True when a field is empty or has a valid number. */
function isAllowed(name: NumberParameter, typed: string): boolean {
  const { min, max } = parameterBounds[name]
  const value = numberOf(name, typed)
  return typed.trim() === '' || (value >= min && value <= max)
}

/** Typed parameters; null when all are empty, undefined while one is invalid. */
function parametersOf(typed: TypedParameters): ChatParameters | null | undefined {
  if (!numberParameters.every((name) => isAllowed(name, typed[name]))) return undefined
  if (Object.values(typed).every((value) => value.trim() === '')) return null
  const filled = numberParameters.filter((name) => typed[name].trim() !== '')
  const numbers: ChatParameters = Object.fromEntries(filled.map((name) => [name, numberOf(name, typed[name])]))
  const effort = typed.reasoning_effort as ChatParameters['reasoning_effort'] | ''
  return effort ? { ...numbers, reasoning_effort: effort } : numbers
}

/** Parameters of the model; empty fields use its server's defaults. */
function ParameterFields({ typed, onChange }: ParameterFieldsProps) {
  const text = useText('chat')
  const isAnySet = Object.values(typed).some((value) => value !== '')
  return (
    <details open={isAnySet} className="group border-t border-border-float pt-3">
      <summary className="flex touch-target cursor-pointer list-none items-center gap-1.5 rounded-control text-13 font-medium">
        <ChevronRight aria-hidden className="size-4 text-muted transition-transform group-open:rotate-90" />
        {text('parameters.title')}
      </summary>
      <p className="mt-1 text-13 text-muted">{text('parameters.text')}</p>
      <div className="mt-3 grid grid-cols-2 gap-3">
        {numberParameters.map((name) => (
          <NumberField
            key={name}
            inputMode="decimal"
            label={text(`parameters.${name}`)}
            hint={text(`parameters.${name}_hint`)}
            error={isAllowed(name, typed[name]) ? undefined : text('parameters.wrong', parameterBounds[name])}
            placeholder={text('parameters.unset')}
            value={typed[name]}
            onChange={(event) => onChange({ ...typed, [name]: event.target.value })}
          />
        ))}
        <Select
          label={text('parameters.reasoning_effort')}
          hint={text('parameters.reasoning_effort_hint')}
          options={[
            { value: '', label: text('parameters.unset') },
            ...reasoningEfforts.map((value) => ({ value, label: text(`parameters.efforts.${value}`) })),
          ]}
          value={typed.reasoning_effort}
          onValueChange={(value) => onChange({ ...typed, reasoning_effort: value })}
        />
      </div>
    </details>
  )
}

type ParameterFieldsProps = { typed: TypedParameters; onChange: (typed: TypedParameters) => void }

/** Makes this conversation's model the user's default for new ones, on every device. */
function PreferModel({ model, name }: { model: string | null; name: string | null }) {
  const text = useText('chat')
  const errorText = useErrorText()
  const preferred = useUser().preferences.model
  const save = useMutation({
    mutationFn: async () => {
      await call('PATCH /me/preferences', { json: { model }, keepalive: true })
      await session.refresh()
    },
    onError: (error) => showToast({ tone: 'danger', title: errorText(error) }),
  })
  if (preferred === model) {
    return model === null ? null : <p className="text-13 text-muted">{text('model.isWanted')}</p>
  }
  return (
    <Button size="sm" className="self-start" loading={save.isPending} onClick={() => save.mutate()}>
      <span className="truncate">{text('model.want', { model: name ?? text('model.default') })}</span>
    </Button>
  )
}

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
  const preferred = useUser().preferences.model
  const [typed, setTyped] = useState(() => typedOf(choice.parameters))

  const close = (model: string | null) => {
    const parameters = parametersOf(typed)
    const isWebOn = choice.parameters?.use_web === true
    const next = { model, parameters: parameters === undefined ? choice.parameters : withWeb(parameters, isWebOn) }
    const isSame = JSON.stringify(typedOf(next.parameters)) === JSON.stringify(typedOf(choice.parameters))
    if (model !== choice.model || !isSame) onChoose(next)
    onClose()
  }
  const isKnown = (id: string) => models.some((model) => model.id === id)
  return (
    <PopoverPanel anchor={anchor} title={text('model.title')} onClose={() => close(choice.model)}>
      <div className="flex flex-col gap-4">
        {choice.model !== null && answering === undefined && (
          <Banner tone="warning">{text('model.gone', { model: choice.model })}</Banner>
        )}
        {preferred !== null && preferred !== choice.model && !isKnown(preferred) && (
          <Banner tone="warning">{text('model.wantedGone', { model: preferred })}</Banner>
        )}
        <ModelList models={models} selected={choice.model} onChoose={close} />
        {(choice.model === null || answering !== undefined) && (
          <PreferModel model={choice.model} name={answering?.name ?? null} />
        )}
        {usedTokens !== null && <Used used={usedTokens} answering={answering} models={models} />}
        {compared && (
          <CompareWith
            models={models}
            answering={answering?.id}
            modelIds={compared.others}
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
  // another model may be selected by now
  const usedModel = models.find(({ id }) => id === used.model)
  const cost = usedModel ? costOf(used, usedModel) : null
  if (fullness === null && cost === null) return null
  return (
    <div className="flex flex-col gap-1.5">
      {fullness !== null && (
        <Progress
          label={text('model.fullness')}
          value={fullness}
          detail={text('model.fullnessOf', {
            used: format.number(used.input + used.output),
            max: format.number(answering?.context_tokens ?? 0),
          })}
          tone={fullness > 90 ? 'danger' : 'ai'}
        />
      )}
      {usedModel && cost !== null && (
        <p className="text-13 text-muted">
          {text('model.cost', { cost: format.dollars(cost), model: usedModel.name })}
        </p>
      )}
    </div>
  )
}

export type ModelPanelProps = {
  anchor: RefObject<HTMLElement | null>
  models: readonly ChatModel[]
  choice: ModelChoice
  /** The model that answers now; undefined when the chosen one is gone or isn't a connection's. */
  answering: ChatModel | undefined
  /** Tokens of the newest answer; null when unknown. */
  usedTokens: UsedTokens | null
  /** Models to compare the next answer with; undefined where comparing isn't possible. */
  compared?: { others: readonly string[]; onChange: (others: readonly string[]) => void } | undefined
  onChoose: (choice: ModelChoice) => void
  onClose: () => void
}
