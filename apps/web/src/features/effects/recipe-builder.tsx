import type { EffectsAvailable } from '@mira/shared'
import { RECIPE_MAX_STEPS } from '@mira/shared/constants/limits'
import { ArrowDown, ArrowUp, Layers, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { Card, CardHeader } from '../../ui/card.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { useEffectTexts } from './effect-texts.ts'
import { IntensitySlider } from './intensity-slider.tsx'
import { SaveRecipe } from './save-recipe.tsx'
import { SavedRecipes } from './saved-recipes.tsx'
import type { StackStep } from './selection.ts'
import type { Studio } from './use-studio.ts'

/** Effects laid over each other, the first one first: their order, their strength, and recipes that were kept. */
export function RecipeBuilder({ studio, available }: RecipeBuilderProps) {
  const text = useText('effects')
  const effectTexts = useEffectTexts()
  const { steps } = studio.selection
  const list = useRef<HTMLOListElement>(null)
  const [said, setSaid] = useState('')

  const focusButton = (key: number, part: string) =>
    // After the row is at its new place, where the browser has dropped the focus.
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-step="${key}"] [data-${part}]`)?.focus(),
    )
  const move = (step: StackStep, index: number, by: -1 | 1) => {
    if (index + by < 0 || index + by >= steps.length) return
    studio.moveStep(step.key, by)
    setSaid(
      text('recipe.moved', {
        name: effectTexts.name(step.effect_name, available.effects[step.effect_name]),
        place: index + by + 1,
        count: steps.length,
      }),
    )
    focusButton(step.key, by === -1 ? 'up' : 'down')
  }
  const remove = (step: StackStep, index: number) => {
    const neighbour = steps[index + 1] ?? steps[index - 1]
    studio.removeStep(step.key)
    if (neighbour) focusButton(neighbour.key, 'remove')
  }
  return (
    <Card>
      <CardHeader
        title={
          <span className="inline-flex items-center gap-2">
            <Layers aria-hidden className="size-4.5 text-muted" />
            {text('recipe.title')}
          </span>
        }
        description={text('recipe.hint', { most: RECIPE_MAX_STEPS })}
      />
      {steps.length === 0 ? (
        <p className="rounded-control border border-dashed border-border-float px-4 py-5 text-center text-13 text-muted">
          {text('recipe.empty')}
        </p>
      ) : (
        <ol ref={list} aria-label={text('recipe.steps')} className="divide-y divide-border">
          {steps.map((step, index) => (
            <StepRow
              key={step.key}
              step={step}
              number={index + 1}
              count={steps.length}
              name={effectTexts.name(step.effect_name, available.effects[step.effect_name])}
              onMove={(by) => move(step, index, by)}
              onIntensity={(value) => studio.changeStepIntensity(step.key, value)}
              onRemove={() => remove(step, index)}
            />
          ))}
        </ol>
      )}
      <p role="status" className="sr-only">
        {said}
      </p>
      {steps.length > 0 && <SaveRecipe steps={steps} />}
      <SavedRecipes onUse={studio.loadStack} available={available} />
    </Card>
  )
}

function StepRow({ step, number, count, name, onMove, onIntensity, onRemove }: StepRowProps) {
  const text = useText('effects')
  const format = useFormat()
  return (
    <li data-step={step.key} className="flex flex-wrap items-center gap-x-3 py-2 sm:flex-nowrap">
      <span aria-hidden className="w-4 text-12 text-muted tabular-nums">
        {number}
      </span>
      <span className="min-w-0 flex-1 truncate text-14 font-medium sm:max-w-40">{name}</span>
      <div className="flex min-w-0 items-center gap-3 max-sm:order-last max-sm:basis-full max-sm:pl-7 sm:flex-1">
        <IntensitySlider
          label={text('recipe.intensity', { name })}
          labelHidden
          value={step.intensity}
          onValueChange={onIntensity}
          className="flex-1"
        />
        <span aria-hidden className="w-7 text-right text-13 tabular-nums">
          {format.number(step.intensity, 1)}
        </span>
      </div>
      <span className="flex">
        {/* Not disabled at the ends: the focus would be lost there. */}
        <IconButton
          size="sm"
          data-up=""
          name={text('recipe.up', { name })}
          icon={<ArrowUp aria-hidden />}
          aria-disabled={number === 1}
          className="aria-disabled:opacity-40"
          onClick={() => onMove(-1)}
        />
        <IconButton
          size="sm"
          data-down=""
          name={text('recipe.down', { name })}
          icon={<ArrowDown aria-hidden />}
          aria-disabled={number === count}
          className="aria-disabled:opacity-40"
          onClick={() => onMove(1)}
        />
        <IconButton
          size="sm"
          data-remove=""
          variant="danger"
          name={text('recipe.remove', { name })}
          icon={<X aria-hidden />}
          onClick={onRemove}
        />
      </span>
    </li>
  )
}

type RecipeBuilderProps = { studio: Studio; available: EffectsAvailable }
type StepRowProps = {
  step: StackStep
  number: number
  count: number
  name: string
  onMove: (by: -1 | 1) => void
  onIntensity: (value: number) => void
  onRemove: () => void
}
