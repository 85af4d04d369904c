import type { EffectCategory, EffectDefinition, EffectName, RecipeSteps } from '@mira/shared'
import { useMemo } from 'react'
import { type Text, useLanguage, useText } from '../../lib/i18n/i18n.ts'

/** Translated names and descriptions of effects. */
export interface EffectTexts {
  name: (name: EffectName, definition?: Pick<EffectDefinition, 'name'>) => string
  description: (name: EffectName, definition: Pick<EffectDefinition, 'description'>) => string
  /** "Sepia + Vignette"; in English as the server calls it. */
  title: (displayName: string, steps: RecipeSteps) => string
  category: (category: EffectCategory) => string
}

/** The server speaks English; in other languages the names of effects are translated here. */
export function useEffectTexts(): EffectTexts {
  const text = useText('effects')
  const language = useLanguage()
  return useMemo(() => {
    const name: EffectTexts['name'] = (effect, definition) =>
      definition && (language === 'en' || !isKnown(text, effect)) ? definition.name : text(`names.${effect}`)
    return {
      name,
      description: (effect, definition) =>
        language === 'en' || !isKnown(text, effect) ? definition.description : text(`descriptions.${effect}`),
      title: (displayName, steps) =>
        language === 'en'
          ? displayName
          : steps.map((step) => name(step.effect_name, { name: displayName })).join(' + '),
      category: (category) => text(`categories.${category}`),
    }
  }, [text, language])
}

function isKnown(text: Text<'effects'>, name: EffectName): boolean {
  return text.has(`names.${name}`)
}
