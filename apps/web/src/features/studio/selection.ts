import type { EffectName, RecipeSteps } from '@mira/shared'
import { RECIPE_MAX_STEPS } from '@mira/shared/constants/limits'
import { asIntensity } from './studio-rules.ts'

/** One effect, several effects on the same picture, or effects laid over each other. */
export type SelectionMode = 'one' | 'batch' | 'stack'

/** An effect of a stack; the key stays its own while it is moved. */
export interface StackStep {
  key: number
  effect_name: EffectName
  intensity: number
}

/** Selected effects per mode; switching back and forth loses nothing. */
export interface EffectSelection {
  mode: SelectionMode
  one: EffectName | null
  batch: readonly EffectName[]
  steps: readonly StackStep[]
  nextKey: number
}

/** Nothing chosen yet. */
export const emptySelection: EffectSelection = { mode: 'one', one: null, batch: [], steps: [], nextKey: 1 }

/**
 * Next selection after a press on an effect's card: selects or deselects it, toggles it in the batch, or adds it on top
 * of the stack.
 */
export function chooseEffect(selection: EffectSelection, name: EffectName, intensity: number): EffectSelection {
  const { mode, one, batch, steps, nextKey } = selection
  if (mode === 'one') return { ...selection, one: one === name ? null : name }
  if (mode === 'batch') {
    const isChosen = batch.includes(name)
    return { ...selection, batch: isChosen ? batch.filter((other) => other !== name) : [...batch, name] }
  }
  if (steps.length >= RECIPE_MAX_STEPS) return selection
  return { ...selection, steps: [...steps, { key: nextKey, effect_name: name, intensity }], nextKey: nextKey + 1 }
}

/** Another mode; what was chosen goes along when nothing is chosen there yet. */
export function changeMode(selection: EffectSelection, mode: SelectionMode, intensity: number): EffectSelection {
  const names = chosenNames(selection)
  const next = { ...selection, mode }
  if (mode === 'one') return next.one === null ? { ...next, one: names[0] ?? null } : next
  if (mode === 'batch') return next.batch.length === 0 ? { ...next, batch: [...new Set(names)] } : next
  if (next.steps.length > 0) return next
  return names.reduce((built, name) => chooseEffect(built, name, intensity), next)
}

/** The effects that are chosen in the mode of now; in a stack one may come twice. */
export function chosenNames({ mode, one, batch, steps }: EffectSelection): readonly EffectName[] {
  if (mode === 'one') return one === null ? [] : [one]
  return mode === 'batch' ? batch : steps.map(({ effect_name: name }) => name)
}

/** A recipe in place of what is chosen: a stack, or a single effect. */
export function loadSteps(selection: EffectSelection, steps: RecipeSteps): EffectSelection {
  const [first] = steps
  if (steps.length === 1 && first) return { ...selection, mode: 'one', one: first.effect_name }
  return stackSteps(selection, steps)
}

/** A recipe in place of the stack. */
export function stackSteps(selection: EffectSelection, steps: RecipeSteps): EffectSelection {
  const { nextKey } = selection
  const keyed = steps.map((step, index) => ({ ...step, key: nextKey + index }))
  return { ...selection, mode: 'stack', steps: keyed, nextKey: nextKey + steps.length }
}

/** A step one place up (-1) or down (1); at the end it stays. */
export function moveStep(selection: EffectSelection, key: number, by: -1 | 1): EffectSelection {
  const steps = [...selection.steps]
  const from = steps.findIndex((step) => step.key === key)
  const [step] = steps.slice(from, from + 1)
  const to = from + by
  if (!step || to < 0 || to >= steps.length) return selection
  steps.splice(from, 1)
  steps.splice(to, 0, step)
  return { ...selection, steps }
}

/** The stack without a step. */
export function removeStep(selection: EffectSelection, key: number): EffectSelection {
  return { ...selection, steps: selection.steps.filter((step) => step.key !== key) }
}

/** Another intensity for one step. */
export function changeStepIntensity(selection: EffectSelection, key: number, intensity: number): EffectSelection {
  const change = (step: StackStep) => (step.key === key ? { ...step, intensity: asIntensity(intensity) } : step)
  return { ...selection, steps: selection.steps.map(change) }
}

/** The chosen effects as the server takes them. */
export function recipeOf({ steps }: Pick<EffectSelection, 'steps'>): RecipeSteps {
  return steps.map(({ effect_name, intensity }) => ({ effect_name, intensity }))
}
