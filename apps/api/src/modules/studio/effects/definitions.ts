import {
  type EffectDefinition,
  type EffectName,
  type EffectsAvailable,
  effectCategories,
  effectNames,
  type RecipeSteps,
} from '@mira/shared'
import type { Sentence } from '../../../sentences.ts'
import { catalogue, type PixelEffectName } from './catalogue.ts'

/** Name, description and settings of the effect that needs a model. */
const restyle = {
  name: 'AI Restyle',
  description: 'Redraws the picture as you describe it.',
  category: 'artistic',
} as const

/** True for effects computed from pixels here, without a model. */
export function isPixelEffect(name: EffectName): name is PixelEffectName {
  return name in catalogue
}

export function displayNameOf(name: EffectName): string {
  return isPixelEffect(name) ? catalogue[name].displayName : restyle.name
}

/** Title of a recipe: its effects in order. */
export function titleOf(steps: RecipeSteps): string {
  return steps.map(({ effect_name: name }) => displayNameOf(name)).join(' + ')
}

/** All effects by name and by category. @param offReason why those that need a model cannot be used; null when they can. */
export function effectsAvailable(offReason: Sentence | null): EffectsAvailable {
  const define = (name: EffectName): EffectDefinition => {
    if (isPixelEffect(name)) {
      const { displayName, description, category } = catalogue[name]
      return { name: displayName, description, category, requires_ai: false, available: true }
    }
    const reason = offReason && { unavailable_reason: offReason.text, unavailable_told: offReason.told }
    return { ...restyle, requires_ai: true, available: offReason === null, ...reason }
  }
  const effects = Object.fromEntries(effectNames.map((name) => [name, define(name)])) as EffectsAvailable['effects']
  const inCategory = (category: string) => effectNames.filter((name) => effects[name].category === category)
  return {
    effects,
    categories: Object.fromEntries(
      effectCategories.map((category) => [category, inCategory(category)]),
    ) as EffectsAvailable['categories'],
  }
}

/** Unsigned address of a picture. */
export function addressOf({ id }: { id: string }, size?: 'thumbnail' | 'preview'): string {
  return `/api/image-effects/effects/download/${id}${size ? `?size=${size}` : ''}`
}
