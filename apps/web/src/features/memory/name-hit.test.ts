import { expect, it } from 'vitest'
import { nameHit } from './name-hit.ts'

it('tells a name that was found once, with its marks, and what the file tells of itself beside it', () => {
  expect(nameHit('\u0002lease\u0003.md · \u0002lease\u0003', 'lease.md')).toEqual({
    name: '\u0002lease\u0003.md',
    rest: '',
  })
  expect(
    nameHit('IMG_2034-beachParty.jpg · IMG 2034 beach Party · \u0002Canon\u0003', 'IMG_2034-beachParty.jpg'),
  ).toEqual({
    name: 'IMG_2034-beachParty.jpg',
    rest: '\u0002Canon\u0003',
  })
})

it('leaves an excerpt that begins later as it is', () => {
  expect(nameHit('… · Voices of the \u0002harbour\u0003', 'recording.mp3')).toEqual({
    name: null,
    rest: '… · Voices of the \u0002harbour\u0003',
  })
})
