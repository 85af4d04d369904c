import { ChevronDown, Sparkles, TriangleAlert } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Select } from '../../../ui/select.tsx'
import type { ModelPanelProps } from './model-panel.tsx'
import { fullnessOf, useModels } from './use-models.ts'

/** The value of the choice that leaves it open: no model is called so. */
const USUAL = ''

/** A model for what begins with it; nothing where no model is connected and none was picked. */
export function ModelField({ label, model, onChange }: ModelFieldProps) {
  const text = useText('chat')
  const models = useModels() ?? []
  if (models.length === 0 && model === null) return null
  const options = [
    { value: USUAL, label: text('model.default') },
    ...models.map(({ id, name }) => ({ value: id, label: name })),
  ]
  // one that is away now stays until another one is picked
  if (model !== null && models.every(({ id }) => id !== model)) options.push({ value: model, label: model })
  return (
    <Select
      label={label}
      options={options}
      value={model ?? USUAL}
      onValueChange={(value) => onChange(value === USUAL ? null : value)}
    />
  )
}

type ModelFieldProps = { label: string; model: string | null; onChange: (model: string | null) => void }

/** From so many percent of what the model holds, the button says it. */
const NEARLY_FULL = 75

const ModelPanel = lazy(() => import('./model-panel.tsx').then((module) => ({ default: module.ModelPanel })))

/**
 * The button that tells which model answers, and opens what may be chosen of it; nothing where no model is connected and
 * none was ever picked.
 */
export function ModelPicker({ choice, usedTokens, isBusy, compared, onChoose }: ModelPickerProps) {
  const text = useText('chat')
  const format = useFormat()
  const models = useModels()
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  if (models === undefined || (models.length === 0 && choice.model === null)) return null

  const answering = models.find(({ id, is_default }) => (choice.model === null ? is_default : id === choice.model))
  const isGone = choice.model !== null && answering === undefined
  const name = answering?.name ?? choice.model ?? text('model.default')
  const fullness = Math.min(100, fullnessOf(usedTokens, answering) ?? 0)
  const label = text(isGone ? 'model.buttonGone' : 'model.button', { model: name })
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        disabled={isBusy}
        onClick={() => setIsOpen(!isOpen)}
        className={classNames(
          'flex h-9 touch-target min-w-0 items-center gap-1.5 rounded-control px-2 text-13 transition-colors shade-on-hover',
          'disabled:cursor-not-allowed disabled:opacity-55 max-w-56 [&_svg]:size-4 [&_svg]:shrink-0',
          isGone ? 'text-warning-text' : 'text-muted hover:text-text',
        )}
      >
        {isGone ? <TriangleAlert aria-hidden /> : <Sparkles aria-hidden className="text-ai-text max-sm:hidden" />}
        <span className="min-w-0 truncate">{name}</span>
        {fullness >= NEARLY_FULL && (
          <span className="shrink-0 text-warning-text tabular-nums">{format.percent(fullness, 0)}</span>
        )}
        <ChevronDown aria-hidden className="size-3.5" />
      </button>
      {isOpen && (
        <Suspense>
          <ModelPanel
            anchor={button}
            models={models}
            choice={choice}
            answering={answering}
            usedTokens={usedTokens}
            compared={compared}
            onChoose={onChoose}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}

type ModelPickerProps = Pick<ModelPanelProps, 'choice' | 'usedTokens' | 'compared' | 'onChoose'> & { isBusy: boolean }
