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
import { contextUsagePercent, costOf, type UsedTokens } from './use-models.ts'
import { withWeb } from './web-switch.tsx'

/** Number of models from which there's a search field. */
const SEARCH_MIN_MODELS = 8

/** Selectable models and the default; arrow keys move between them. */
function ModelList({ models, selected, onChoose }: ModelListProps) {
  const text = useText('chat')
  const common = useText('app')
  const [query, setQuery] = useState('')
  const defaultModel = models.find(({ is_default }) => is_default)
  const term = query.trim().toLowerCase()
  const matches = models.filter(({ name, connection }) => `${name} ${connection}`.toLowerCase().includes(term))
  return (
    <div className="flex flex-col gap-2">
      {models.length >= SEARCH_MIN_MODELS && (
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
        {term === '' && (
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
              <ModelTraits model={model} />
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
function ModelTraits({ model: { connection, vision, context_tokens } }: { model: ChatModel }) {
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
type ParameterFieldValues = Record<NumberParameter | 'reasoning_effort', string>

function fieldValuesOf(parameters: ChatParameters | null): ParameterFieldValues {
  const { temperature, top_p, max_tokens, reasoning_effort = '' } = parameters ?? {}
  return {
    temperature: String(temperature ?? ''),
    top_p: String(top_p ?? ''),
    max_tokens: String(max_tokens ?? ''),
    reasoning_effort,
  }
}

const numberOf = (name: NumberParameter, input: string) => typedNumber(input, name === 'max_tokens')

/** True when a field is empty or has a valid number. */
function isAllowed(name: NumberParameter, input: string): boolean {
  const { min, max } = parameterBounds[name]
  const value = numberOf(name, input)
  return input.trim() === '' || (value >= min && value <= max)
}

/** Parameters in the fields; null when all fields are empty, undefined while one is invalid. */
function parametersOf(fieldValues: ParameterFieldValues): ChatParameters | null | undefined {
  if (!numberParameters.every((name) => isAllowed(name, fieldValues[name]))) return undefined
  if (Object.values(fieldValues).every((value) => value.trim() === '')) return null
  const filledNames = numberParameters.filter((name) => fieldValues[name].trim() !== '')
  const numbers: ChatParameters = Object.fromEntries(
    filledNames.map((name) => [name, numberOf(name, fieldValues[name])]),
  )
  const effort = fieldValues.reasoning_effort as ChatParameters['reasoning_effort'] | ''
  return effort ? { ...numbers, reasoning_effort: effort } : numbers
}

/** Fields for the model's parameters; empty fields use the defaults of the model's server. */
function ParameterFields({ fieldValues, onChange }: ParameterFieldsProps) {
  const text = useText('chat')
  const isAnySet = Object.values(fieldValues).some((value) => value !== '')
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
            error={isAllowed(name, fieldValues[name]) ? undefined : text('parameters.wrong', parameterBounds[name])}
            placeholder={text('parameters.unset')}
            value={fieldValues[name]}
            onChange={(event) => onChange({ ...fieldValues, [name]: event.target.value })}
          />
        ))}
        <Select
          label={text('parameters.reasoning_effort')}
          hint={text('parameters.reasoning_effort_hint')}
          options={[
            { value: '', label: text('parameters.unset') },
            ...reasoningEfforts.map((value) => ({ value, label: text(`parameters.efforts.${value}`) })),
          ]}
          value={fieldValues.reasoning_effort}
          onValueChange={(value) => onChange({ ...fieldValues, reasoning_effort: value })}
        />
      </div>
    </details>
  )
}

type ParameterFieldsProps = { fieldValues: ParameterFieldValues; onChange: (fieldValues: ParameterFieldValues) => void }

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

/** Panel for the model, its parameters and its context use; typed parameters apply when the panel closes. */
export function ModelPanel({
  anchor,
  models,
  choice,
  answeringModel,
  usedTokens,
  compared,
  onChoose,
  onClose,
}: ModelPanelProps) {
  const text = useText('chat')
  const preferred = useUser().preferences.model
  const [fieldValues, setFieldValues] = useState(() => fieldValuesOf(choice.parameters))

  const close = (model: string | null) => {
    const parameters = parametersOf(fieldValues)
    const isWebOn = choice.parameters?.use_web === true
    const next = { model, parameters: parameters === undefined ? choice.parameters : withWeb(parameters, isWebOn) }
    const isSame = JSON.stringify(fieldValuesOf(next.parameters)) === JSON.stringify(fieldValuesOf(choice.parameters))
    if (model !== choice.model || !isSame) onChoose(next)
    onClose()
  }
  const isKnown = (id: string) => models.some((model) => model.id === id)
  return (
    <PopoverPanel anchor={anchor} title={text('model.title')} onClose={() => close(choice.model)}>
      <div className="flex flex-col gap-4">
        {choice.model !== null && answeringModel === undefined && (
          <Banner tone="warning">{text('model.gone', { model: choice.model })}</Banner>
        )}
        {preferred !== null && preferred !== choice.model && !isKnown(preferred) && (
          <Banner tone="warning">{text('model.wantedGone', { model: preferred })}</Banner>
        )}
        <ModelList models={models} selected={choice.model} onChoose={close} />
        {(choice.model === null || answeringModel !== undefined) && (
          <PreferModel model={choice.model} name={answeringModel?.name ?? null} />
        )}
        {usedTokens !== null && <Usage usedTokens={usedTokens} answeringModel={answeringModel} models={models} />}
        {compared && (
          <CompareWith
            models={models}
            answeringModelId={answeringModel?.id}
            modelIds={compared.others}
            onChange={compared.onChange}
          />
        )}
        <ParameterFields fieldValues={fieldValues} onChange={setFieldValues} />
      </div>
    </PopoverPanel>
  )
}

/** Share of the model's context used by the newest answer, and its cost, as far as known. */
function Usage({
  usedTokens,
  answeringModel,
  models,
}: Pick<ModelPanelProps, 'answeringModel' | 'models'> & { usedTokens: UsedTokens }) {
  const text = useText('chat')
  const format = useFormat()
  const fullness = contextUsagePercent(usedTokens, answeringModel)
  // another model may be selected by now
  const usedModel = models.find(({ id }) => id === usedTokens.model)
  const cost = usedModel ? costOf(usedTokens, usedModel) : null
  if (fullness === null && cost === null) return null
  return (
    <div className="flex flex-col gap-1.5">
      {fullness !== null && (
        <Progress
          label={text('model.fullness')}
          value={fullness}
          detail={text('model.fullnessOf', {
            used: format.number(usedTokens.input + usedTokens.output),
            max: format.number(answeringModel?.context_tokens ?? 0),
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
  /** The model that currently answers; undefined when the chosen model is gone, or when no model is the default. */
  answeringModel: ChatModel | undefined
  /** Tokens of the newest answer; null when unknown. */
  usedTokens: UsedTokens | null
  /** Models to compare the next answer with; undefined where comparing isn't possible. */
  compared?: { others: readonly string[]; onChange: (others: readonly string[]) => void } | undefined
  onChoose: (choice: ModelChoice) => void
  onClose: () => void
}
