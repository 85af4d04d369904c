import { expect, test } from 'vitest'
import { xmpPlaceOf } from './xmp-values.ts'

const placeOf = (latitude: string, longitude: string) =>
  xmpPlaceOf(
    new Map([
      ['exif:GPSLatitude', [latitude]],
      ['exif:GPSLongitude', [longitude]],
    ]),
  )

test.each([
  ['48,12.5N', '16,22.2W', 48.2083, -16.37],
  ['48,12,30S', '16,59,59.9E', -48.2083, 17],
  ['48.2083', '-16.37', 48.2083, -16.37],
])('reads the place %s %s', (latitude, longitude, north, east) => {
  expect(placeOf(latitude, longitude)?.latitude).toBeCloseTo(north, 3)
  expect(placeOf(latitude, longitude)?.longitude).toBeCloseTo(east, 3)
})

test.each(['48,75.5N', '48,60N', '48,12,60N', '48,1372N', '48..5N'])('refuses the latitude %s', (latitude) => {
  expect(placeOf(latitude, '16,22.2E')).toBeNull()
})
