import { effectNames } from '@mira/shared'
import { expect, it } from 'vitest'
import { sampleOf } from './effect-picker.tsx'

it('has a sample of every effect that needs no model', () => {
  expect(effectNames.filter((name) => sampleOf(name) === null)).toEqual(['ai_restyle'])
})
