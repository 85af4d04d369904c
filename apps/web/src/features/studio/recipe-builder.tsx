import type { EffectsAvailable, RecipeSteps } from '@mira/shared'
import { RECIPE_MAX_STEPS, RECIPE_NAME_MAX_CHARACTERS } from '@mira/shared/constants/effects'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Layers, Save, Trash2, X } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { call } from '../../lib/api/client.ts'
import { type SavedRecipe, saveRecipe } from '../../lib/api/effects.ts'
import { LoadFailed } from '../../lib/components/query-list.tsx'
import { useFormat } from '../../lib/format/format.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { TextField } from '../../ui/text-field.tsx'
import { recipesQuery, useEffectTexts } from './effects-queries.ts'
import { IntensitySlider } from './intensity-slider.tsx'
import { recipeOf, type StackStep, type Studio } from './use-studio.ts'

/** Saved recipes, to apply or delete. */
function SavedRecipes({ available, onUse }: SavedRecipesProps) {
  const text = useText('effects')
  const errorText = useErrorText()
  const effectTexts = useEffectTexts()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const recipes = useQuery(recipesQuery)

  const remove = async ({ id, name }: SavedRecipe) => {
    const isConfirmed = await confirm({
      question: text('recipe.deleteQuestion', { name }),
      confirmLabel: text('recipe.deleteConfirm'),
      tone: 'danger',
    })
    if (!isConfirmed) return
    try {
      await call('DELETE /image-effects/recipes/:id', { params: { id } })
    } catch (error) {
      console.error('A recipe could not be deleted', error)
      showToast({ tone: 'danger', title: text('recipe.deleteFailed'), description: errorText(error) })
    }
    await queryClient.invalidateQueries({ queryKey: recipesQuery.queryKey })
  }
  if (recipes.isLoadingError) return <LoadFailed query={recipes} className="mt-4" />
  if (!recipes.data || recipes.data.length === 0) return null
  return (
    <section aria-labelledby="saved-recipes" className="mt-4 border-t border-border pt-4">
      <h3 id="saved-recipes" className="text-14 font-semibold">
        {text('recipe.list')}
      </h3>
      <ul className="mt-1 divide-y divide-border">
        {recipes.data.map((recipe) => (
          <li key={recipe.id} className="flex items-center gap-3 py-2">
            <div className="min-w-0 flex-1">
              <p className="truncate text-14 font-medium">{recipe.name}</p>
              <p className="truncate text-12 text-muted">
                {recipe.steps
                  .map(({ effect_name: name }) => effectTexts.name(name, available.effects[name]))
                  .join(' + ')}
              </p>
            </div>
            <Button
              size="sm"
              aria-label={text('recipe.useNamed', { name: recipe.name })}
              onClick={() => onUse(recipe.steps)}
            >
              {text('recipe.use')}
            </Button>
            <IconButton
              size="sm"
              variant="danger"
              name={text('recipe.delete', { name: recipe.name })}
              icon={<Trash2 aria-hidden />}
              onClick={() => void remove(recipe)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

type SavedRecipesProps = { available: EffectsAvailable; onUse: (steps: RecipeSteps) => void }

/** Saves the stack as a recipe, which replaces one of the same name. */
function SaveRecipe({ steps }: { steps: readonly StackStep[] }) {
  const text = useText('effects')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const save = useMutation({
    mutationFn: (recipeName: string) => saveRecipe(recipeName, recipeOf({ steps })),
    onSuccess: async (_, sent) => {
      // the user may have typed another name meanwhile
      setName((current) => (current.trim() === sent ? '' : current))
      await queryClient.invalidateQueries({ queryKey: recipesQuery.queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') save.mutate(name.trim())
  }
  return (
    <form onSubmit={submit} className="mt-3 flex flex-col gap-2 border-t border-border pt-4 sm:flex-row sm:items-end">
      <TextField
        label={text('recipe.name')}
        maxLength={RECIPE_NAME_MAX_CHARACTERS}
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={save.isError ? errorText(save.error) : undefined}
        className="sm:max-w-72 sm:flex-1"
      />
      <Button type="submit" icon={<Save aria-hidden />} loading={save.isPending} disabled={name.trim() === ''}>
        {text('recipe.save')}
      </Button>
      {/* Only for screen readers: the list below shows the recipe, and on a phone a toast would cover the "apply" button. */}
      <p role="status" className="sr-only">
        {save.isSuccess && text('recipe.saved', { name: save.data.name })}
      </p>
    </form>
  )
}

/** Stacked effects with their order and intensity, and saved recipes. */
export function RecipeBuilder({ studio, available }: RecipeBuilderProps) {
  const text = useText('effects')
  const effectTexts = useEffectTexts()
  const { steps } = studio.selection
  const list = useRef<HTMLOListElement>(null)
  const [announcement, setAnnouncement] = useState('')

  const focusButton = (key: number, part: string) =>
    // Waits until the row has moved, as the browser drops the focus then.
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-step="${key}"] [data-${part}]`)?.focus(),
    )
  const move = (step: StackStep, index: number, by: -1 | 1) => {
    if (index + by < 0 || index + by >= steps.length) return
    studio.moveStep(step.key, by)
    setAnnouncement(
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
        description={text('recipe.hint', { max: RECIPE_MAX_STEPS })}
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
        {announcement}
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
        {/* Not `disabled` at the ends of the list, or the focus would be lost. */}
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
