import { expect, test } from 'vitest'
import { nameMoments } from '../pipeline/step-runs.ts'

const bodyOf = (originalFilename: string, details = {}, camera: string | null = null) =>
  nameMoments({ originalFilename, details, camera })[0]?.body

test('a file is found by the words of its name, its tags and its camera', () => {
  expect(bodyOf('IMG_2034-beachParty.final.jpg')).toBe('IMG_2034-beachParty.final.jpg · IMG 2034 beach Party final')
  expect(bodyOf('01.mp3', { title: 'Gymnopédie', artist: 'Satie', codec: 'mp3' }, null)).toBe(
    '01.mp3 · 01 · Gymnopédie · Satie',
  )
  expect(bodyOf('a.jpg', {}, 'Canon EOS 5D')).toBe('a.jpg · a · Canon EOS 5D')
})

test('a name of nothing but signs is kept as it is, and a long one is cut', () => {
  expect(bodyOf('🏖️.jpg')).toBe('🏖️.jpg')
  expect(bodyOf('x'.repeat(3000))?.length).toBe(1000)
})
