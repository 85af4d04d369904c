import type { EffectName } from '@mira/shared'

/** Made by the effects themselves: `scripts/effect-samples.mjs` writes them. */
const files = import.meta.glob<string>('./samples/*.webp', { eager: true, query: '?url', import: 'default' })

/** The address of a picture that shows an effect before a person has chosen one of their own; null where a model makes it. */
export const sampleOf = (name: EffectName): string | null => files[`./samples/${name}.webp`] ?? null
