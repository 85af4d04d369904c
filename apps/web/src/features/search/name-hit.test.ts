import { expect, it } from 'vitest'
import { nameHit } from './result-card.tsx'

it('returns a matching name once, with its highlights, and the metadata of the file separately', () => {
  const twice = { content: 'lease.md · lease', highlights: [[0, 5] as const, [11, 16] as const] }
  expect(nameHit(twice, 'lease.md')).toEqual({
    name: { content: 'lease.md', highlights: [[0, 5]] },
    rest: { content: '', highlights: [] },
  })
  const content = 'IMG_2034-beachParty.jpg · IMG 2034 beach Party · Canon'
  expect(nameHit({ content, highlights: [[49, 54]] }, 'IMG_2034-beachParty.jpg')).toEqual({
    name: { content: 'IMG_2034-beachParty.jpg', highlights: [] },
    rest: { content: 'Canon', highlights: [[0, 5]] },
  })
})

it('leaves an excerpt that starts later unchanged', () => {
  const excerpt = { content: '… · Voices of the harbour', highlights: [[18, 25] as const] }
  expect(nameHit(excerpt, 'recording.mp3')).toEqual({ name: null, rest: excerpt })
})
