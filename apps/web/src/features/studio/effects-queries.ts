import type { EffectCategory, EffectDefinition, EffectName, RecipeSteps } from '@mira/shared'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../lib/api/client.ts'
import { fetchEffectPreviews, fetchEffectsGallery, fetchRecipes } from '../../lib/api/effects.ts'
import { type Text, useLanguage, useText } from '../../lib/i18n/i18n.ts'
import { type PictureSource, previewInputOf } from './source.ts'

/** Translated names and descriptions of effects. */
interface EffectTexts {
  name: (name: EffectName, definition?: Pick<EffectDefinition, 'name'>) => string
  description: (name: EffectName, definition: Pick<EffectDefinition, 'description'>) => string
  /** "Sepia + Vignette"; in English, the server's name. */
  title: (displayName: string, steps: RecipeSteps) => string
  category: (category: EffectCategory) => string
}

/** Texts of the effects. The server's are in English, and are translated here. */
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

const PAGE_SIZE = 24
const FIVE_MINUTES_MS = 5 * 60_000

/** All effects. */
export const effectsQuery = queryOptions({
  queryKey: ['effects', 'available'],
  queryFn: ({ signal }) => call('GET /image-effects/effects/available', { signal }),
  staleTime: FIVE_MINUTES_MS,
})

/** Previews of all effects on a picture. */
export function previewsQuery(source: PictureSource, intensity: number) {
  return queryOptions({
    queryKey: ['effects', 'previews', source.key, intensity],
    queryFn: async ({ signal }) => fetchEffectPreviews(await previewInputOf(source), intensity, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: FIVE_MINUTES_MS,
    retry: 1,
  })
}

/** All results, the newest first. */
export const galleryQuery = infiniteQueryOptions({
  queryKey: ['effects', 'gallery'],
  // The list is loaded each time the tab is opened.
  staleTime: 0,
  queryFn: ({ pageParam, signal }) => fetchEffectsGallery({ limit: PAGE_SIZE, cursor: pageParam }, signal),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})

/** The user's own recipes. */
export const recipesQuery = queryOptions({
  queryKey: ['effects', 'recipes'],
  queryFn: ({ signal }) => fetchRecipes(signal),
})

/** Item of the memory to apply effects to. */
export function sourceItemQuery(mediaId: string) {
  return queryOptions({
    queryKey: ['effects', 'item', mediaId],
    queryFn: ({ signal }) => call('GET /media/:id', { params: { id: mediaId }, signal }),
    staleTime: FIVE_MINUTES_MS,
  })
}
