import { ChevronDown, Sparkles, TriangleAlert } from 'lucide-react'
import { lazy, useRef, useState } from 'react'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../ui/class-names.ts'
import { PartBoundary } from '../../../ui/lazy-part.tsx'
import { Select } from '../../../ui/select.tsx'
import type { ModelPanelProps } from './model-panel.tsx'
import { contextUsagePercent, useModels } from './use-models.ts'

/** Option value of the default; no model has this id. */
const DEFAULT = ''

/** Picker of the model for new conversations, such as a persona's; null when no model is connected and none is selected. */
export function ModelField({ label, model, onChange }: ModelFieldProps) {
  const text = useText('chat')
  const models = useModels() ?? []
  if (models.length === 0 && model === null) return null
  const options = [
    { value: DEFAULT, label: text('model.default') },
    ...models.map(({ id, name }) => ({ value: id, label: name })),
  ]
  // an unavailable model stays selectable until another one is selected
  if (model !== null && models.every(({ id }) => id !== model)) options.push({ value: model, label: model })
  return (
    <Select
      label={label}
      options={options}
      value={model ?? DEFAULT}
      onValueChange={(value) => onChange(value === DEFAULT ? null : value)}
    />
  )
}

type ModelFieldProps = { label: string; model: string | null; onChange: (model: string | null) => void }

/** Percentage of the model's context from which the button shows it. */
const NEARLY_FULL = 75

const ModelPanel = lazy(() => import('./model-panel.tsx').then((module) => ({ default: module.ModelPanel })))

/**
 * Button that names the model that answers and opens its panel; null when no model is connected and none was ever
 * selected.
 */
export function ModelPicker({ choice, usedTokens, isBusy, compared, onChoose }: ModelPickerProps) {
  const text = useText('chat')
  const format = useFormat()
  const models = useModels()
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  if (models === undefined || (models.length === 0 && choice.model === null)) return null

  const answeringModel = models.find(({ id, is_default }) => (choice.model === null ? is_default : id === choice.model))
  const isGone = choice.model !== null && answeringModel === undefined
  const name = answeringModel?.name ?? choice.model ?? text('model.default')
  const fullness = Math.min(100, contextUsagePercent(usedTokens, answeringModel) ?? 0)
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
        <PartBoundary onError={() => setIsOpen(false)}>
          <ModelPanel
            anchor={button}
            models={models}
            choice={choice}
            answeringModel={answeringModel}
            usedTokens={usedTokens}
            compared={compared}
            onChoose={onChoose}
            onClose={() => setIsOpen(false)}
          />
        </PartBoundary>
      )}
    </>
  )
}

type ModelPickerProps = Pick<ModelPanelProps, 'choice' | 'usedTokens' | 'compared' | 'onChoose'> & { isBusy: boolean }
