import { expect, test } from 'vitest'
import { openTakeout } from './takeout.ts'

test('words about a live photo are told of its picture alone, so that its film becomes one with it', async () => {
  const folder = 'Takeout/Google Photos/Photos from 2024'
  const sidecar = `${folder}/IMG_1.HEIC.supplemental-metadata.json`
  const text = JSON.stringify({
    title: 'IMG_1.HEIC',
    description: 'Boats',
    photoTakenTime: { timestamp: '1493992800' },
    geoData: { latitude: 48.2, longitude: 16.37 },
  })
  const names = [`${folder}/IMG_1.HEIC`, `${folder}/IMG_1.MP4`, sidecar]
  const kind = await openTakeout({ names, textOf: async (name) => (name === sidecar ? text : null) })
  const told = { takenAt: '2017-05-05T14:00:00.000Z', latitude: 48.2 }
  expect(await kind.factsOf(`${folder}/IMG_1.HEIC`)).toMatchObject({ ...told, description: 'Boats' })
  expect(await kind.factsOf(`${folder}/IMG_1.MP4`)).toMatchObject({ ...told, description: null })
})
