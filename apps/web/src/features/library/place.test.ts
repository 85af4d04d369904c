import { expect, test } from 'vitest'
import { placeOfText } from './place.tsx'

const readPlace = (text: string) => placeOfText(text, 'en')

const bilbao = { latitude: 43.26, longitude: -2.92 }

// In addresses of maps, a marker counts more than the centre, which is elsewhere here: 10, 10 or 10.1, 10.2.
test.each([
  '43.26, -2.92',
  ' 43.26 -2.92 ',
  '43,26; -2,92',
  '43.26° N, 2.92° W',
  '43°15\'36"N 2°55\'12"W',
  'geo:43.26,-2.92?z=15',
  'https://www.openstreetmap.org/#map=15/43.26/-2.92',
  'https://www.openstreetmap.org/?mlat=43.26&mlon=-2.92#map=15/10/10',
  'https://www.google.com/maps/@43.26,-2.92,15z',
  'https://www.google.com/maps/place/Bilbao/@10.1,10.2,12z/data=!3m1!4b1!4m6!3m5!1s0x0!8m2!3d43.26!4d-2.92',
  'https://maps.google.com/?q=43.26,-2.92',
  'https://www.google.com/maps/search/?api=1&query=43.26%2C-2.92',
  'https://maps.apple.com/?ll=43.26,-2.92&q=Bilbao',
  'https://www.bing.com/maps?cp=43.26~-2.92&lvl=15',
])('%s is read as a place', (text) => {
  const { latitude, longitude } = readPlace(text) ?? { latitude: 0, longitude: 0 }
  expect(latitude).toBeCloseTo(bilbao.latitude, 6)
  expect(longitude).toBeCloseTo(bilbao.longitude, 6)
})

test.each(['', 'Bilbao', '43.26', '91, 0', '0, 181', '1, 2, 3', 'https://maps.app.goo.gl/abc', '43.26,-'])(
  '%j isn’t read as a place',
  (text) => expect(readPlace(text)).toBeNull(),
)

test('0, 0 isn’t read as a place: cameras and programs write it for an unknown one', () => {
  expect(readPlace('0, 0')).toBeNull()
})

test.each([
  ['de', 13.4],
  ['es', -13.4],
  ['fr', -13.4],
  ['en', undefined],
] as const)('the letter O is a direction of the language (%s)', (language, longitude) => {
  expect(placeOfText('52.52 N 13.40 O', language)?.longitude).toBe(longitude)
  expect(placeOfText('52.52 N 13.40 E', language)?.longitude).toBe(13.4)
  expect(placeOfText('52.52 N 13.40 W', language)?.longitude).toBe(-13.4)
})
