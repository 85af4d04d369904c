import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../test/factories.ts'
import type { ImageEmbedder } from '../../engines/engine-types.ts'
import { createLog } from '../../log.ts'
import { buildMemory } from './index.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const failWithoutQueue = () => Promise.reject(new Error('This test has no queue.'))
const colours = ['red', 'green', 'blue']
/** Pictures are the name of their colour; texts without a colour are equally far from all. */
const vectorOf = (text: string) => {
  const vector = [...colours.map((colour) => (text.includes(colour) ? 1 : 0)), 0.3]
  const length = Math.hypot(...vector)
  return vector.map((component) => component / length)
}
const embeddingsOf = (texts: string[]) => ({ vectors: texts.map(vectorOf), model: 'colours', dimensions: 4 })
const imageEmbedder: ImageEmbedder = {
  engine: 'local',
  model: () => 'colours',
  embedPictures: async (pictures) => embeddingsOf(pictures.map((picture) => new TextDecoder().decode(picture))),
  embedTexts: async (texts) => embeddingsOf(texts),
}

test('finds video frames by how they look, only for their owner', async () => {
  const { memory, embedding } = buildMemory({
    log: createLog('silent'),
    database,
    ai: {
      embedding: () => null,
      imageEmbedding: () => imageEmbedder,
      formerEmbedder: () => null,
      formerImageEmbedder: () => null,
      reasonOff: () => ({ text: 'Off.', sentences: [] }),
      reranking: () => null,
    },
    queue: { counts: failWithoutQueue, enqueue: failWithoutQueue },
    signedPaths: { sign: (_userId, path) => path },
    events: { publish: () => {} },
  })
  const [{ id: userId }, { id: otherId }] = [await insertUser(database), await insertUser(database)]
  const video = await insertMediaItem(database, userId, { mediaType: 'video', originalFilename: 'film.mp4' })
  for (const [index, path] of colours.entries()) {
    const part = { kind: 'frame', number: index + 1, startSeconds: index * 5 }
    await database.prisma.mediaPart.create({
      data: { mediaItemId: video.id, userId, ...part, path, sizeBytes: 1, width: 1, height: 1 },
    })
  }
  const readPaths: string[] = []
  const embedPictures = () =>
    embedding.embedItemPictures(
      video,
      async ({ path }) => {
        readPaths.push(path)
        return new TextEncoder().encode(path)
      },
      new AbortController().signal,
    )
  expect([await embedPictures(), await embedPictures()]).toEqual(Array(2).fill({ engine: 'local', model: 'colours' }))
  expect(readPaths).toEqual(colours)

  const search = (searcherId: string, query: string, includesFrames = true) =>
    memory.search(
      { userId: searcherId, timeZone: 'UTC', language: 'en', countsInAnalytics: true },
      { query, limit: 20, include_frames: includesFrames },
    )
  const { results, mode } = await search(userId, 'something green')
  expect(mode).toBe('semantic')
  expect(results).toMatchObject([
    {
      ...{ media_id: video.id, matched: 'looks', found_in: 'picture', content: 'film.mp4', frame_number: 2 },
      ...{ is_video_frame: true, timestamp_seconds: 5, thumbnail: `/api/media/${video.id}/frames/2` },
      url: `/gallery/${video.id}?t=5&frame=2`,
    },
  ])
  expect((await search(userId, 'something green', false)).results).toEqual([])
  expect((await search(userId, 'qwxz blorf')).results).toEqual([])
  expect((await search(otherId, 'something green')).results).toEqual([])
})
