import { expect, it } from 'vitest'
import { fileNameOf } from './file-name.ts'

it('prefers the UTF-8 name to the plain one', () => {
  expect(fileNameOf(`attachment; filename="Fluesse.md"; filename*=UTF-8''Fl%C3%BCsse.md`, 'x')).toBe('Flüsse.md')
})

it('uses the plain name, and the fallback without any', () => {
  expect(fileNameOf('attachment; filename="chat.json"', 'x')).toBe('chat.json')
  expect(fileNameOf(null, 'chat.md')).toBe('chat.md')
})
