import { expect, test } from 'vitest'
import { nameMoments } from './name-moments.ts'

const namesOf = (originalFilename: string, details = {}, camera: string | null = null) =>
  nameMoments({ originalFilename, details, camera })[0]
const bodyOf = (...item: Parameters<typeof namesOf>) => namesOf(...item)?.body

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

const automatic = [
  ...['IMG_2034.jpg', 'DSC00012.ARW', 'P1040523.JPG', 'PXL_20231122_101530123.jpg', '20240301_120000.mp4'],
  ...['WhatsApp Image 2024-03-01 at 12.00.00 (1).jpeg', 'Screenshot_20240301-120000.png', 'Scan 12.pdf'],
  ...['Bildschirmfoto 2024-03-01 um 12.00.00.png', 'Capture d’écran 2024-03-01.png', 'Captura de pantalla.png'],
  ...['Neue Aufnahme 3.m4a', 'Unbenannt.odt', '3f2504e0-4f89-11d3-9a0c-0305e82c3301.png', '🏖️.jpg'],
]
test.each(automatic)('%s says nothing of what is in the file, even with its camera', (name) => {
  expect(namesOf(name, {}, 'Apple iPhone 12')?.confidence).toBe(0)
})

test.each(['IMG_2034-beachParty.jpg', 'Passport Ana.pdf', 'Rezept.txt', '京都.jpg', 'Снимок дома.jpg'])(
  '%s says something',
  (name) => {
    expect(namesOf(name)?.confidence).toBeNull()
  },
)

test('a file that has a title says something, whatever its name', () => {
  expect(namesOf('01.mp3', { title: 'Gymnopédie' })?.confidence).toBeNull()
  expect(namesOf('IMG_1.jpg', { description: 'Image 1' })?.confidence).toBe(0)
})
