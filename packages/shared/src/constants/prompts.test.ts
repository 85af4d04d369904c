import { expect, test } from 'vitest'
import { fillPrompt, variablesOf } from './prompts.ts'

test('finds each variable once, and fills it in everywhere', () => {
  const text = 'Write to {{ name }} in {{tone of voice}}. Dear {{name}}, {{}} {no}'
  expect(variablesOf(text)).toEqual(['name', 'tone of voice'])
  expect(fillPrompt(text, { name: 'Anna {{tone of voice}}', 'tone of voice': 'a calm tone $1' })).toBe(
    'Write to Anna {{tone of voice}} in a calm tone $1. Dear Anna {{tone of voice}}, {{}} {no}',
  )
  expect(fillPrompt('{{constructor}}', {})).toBe('{{constructor}}')
})
