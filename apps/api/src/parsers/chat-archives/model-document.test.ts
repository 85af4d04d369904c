import { expect, test } from 'vitest'
import { documentText } from './model-document.ts'

test('puts code with any number of fences into a longer fence', () => {
  const text = `${'```\n'.repeat(200_000)}`
  const block = documentText({ title: '', language: 'markdown-it', text: `${text}\`\`\`\`` })
  expect(block.slice(0, 21)).toBe('`````markdown-it\n```\n')
  expect(block.endsWith('```\n````\n`````')).toBe(true)
})
