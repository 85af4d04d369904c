import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api/client.ts'
import { fetchEffectPreviews, fetchEffectsGallery, fetchRecipes } from '../../lib/api/effects.ts'
import type { PictureSource } from './source.ts'
import { previewInputOf } from './source.ts'

const PAGE_SIZE = 24
const FIVE_MINUTES_MS = 5 * 60_000

/** Every effect there is. */
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

/** Pictures that effects made, the newest first. */
export const galleryQuery = infiniteQueryOptions({
  queryKey: ['effects', 'gallery'],
  // Coming to the tab loads the list.
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

/** An item of the memory that effects are to be applied to. */
export function sourceItemQuery(mediaId: string) {
  return queryOptions({
    queryKey: ['effects', 'item', mediaId],
    queryFn: ({ signal }) => call('GET /media/:id', { params: { id: mediaId }, signal }),
    staleTime: FIVE_MINUTES_MS,
  })
}
