import type { SearchResponseJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { searchesOf } from '../../../test/search-client.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'

let mira: TestApp
let account: TestAccount

beforeAll(async () => {
  mira = await startTestApp()
})
beforeEach(async () => {
  account = await mira.createUser({ can_upload: true })
})
afterAll(() => mira.close())

type Searches = ReturnType<typeof searchesOf>
const addItem: Searches['addItem'] = (traits, moments) => searchesOf(mira, account).addItem(traits, moments)
const search: Searches['search'] = (query, more) => searchesOf(mira, account).search(query, more)
const snippets: Searches['snippets'] = (query, more) => searchesOf(mira, account).snippets(query, more)
const foundSnippets: Searches['foundSnippets'] = (query) => searchesOf(mira, account).foundSnippets(query)

describe('a time in a query', () => {
  test('finds the texts that name a day of it, whenever they were added', async () => {
    for (const day of ['2025-02-03', '2025-03-04', '2025-04-05'])
      await addItem({}, [`Message from Ana, ${day} 18:20:00\nDinner at the harbour is at eight`])
    const first = async (query: string) => (await search(query)).results[0]?.content
    expect(await first('When did Ana write about the dinner in March 2025?')).toContain('2025-03-04')
    expect(await first('When did Ana write about the dinner on April 5th, 2025?')).toContain('2025-04-05')
    // without a year, any recent one may be meant
    expect(await first('When did Ana write about the dinner in February?')).toContain('2025-02-03')
  })

  test('beside everyday words is the whole query', async () => {
    await addItem({}, [{ body: 'Zboží Vám bude doručeno do týdne i s fakturou', language: 'simple' }])
    await addItem({}, ['Note of 2025-03-05: a workshop about mindful eating'])
    for (const question of ['what did I do on March 5 2025?', 'where was I on March 5 2025?'])
      expect(await foundSnippets(question)).toEqual([expect.stringContaining('workshop')])
  })

  test.each([
    'pictures of my son in May 2024',
    'my will from May 2024',
    'The Who in May 2024',
    'notre été en mai 2024',
  ])('isn’t the whole query beside the name of something: %s', async (query) => {
    await addItem({}, ['2024-05-04: rain'])
    expect(await foundSnippets(query)).toEqual([])
  })

  test('hides no texts without a day', async () => {
    await addItem({}, ['Dinner with Ana at the harbour'])
    await addItem({}, ['2025-03-04: rain'])
    expect(await snippets('Dinner with Ana in March 2025')).toHaveLength(2)
  })
})

describe('filters', () => {
  test('select by type, tag and time, in the query or as parameters', async () => {
    const day = (text: string) => new Date(`${text}T12:00:00Z`)
    const traits = [
      { mediaType: 'image', takenAt: day('2025-12-31'), tags: ['Home', 'garden'] },
      { mediaType: 'video', takenAt: day('2026-01-01'), tags: ['home'] },
      { mediaType: 'audio', createdAt: day('2026-05-31'), tags: [] },
      { mediaType: 'document', createdAt: day('2026-06-01'), tags: ['work'] },
    ] satisfies Parameters<Searches['addItem']>[0][]
    for (const itemTraits of traits) await addItem(itemTraits, [`A lighthouse as ${itemTraits.mediaType}`])
    const mediaTypesOf = async (query: string, more = {}) =>
      (await search(query, more)).results.map(({ media_type }) => media_type).sort()

    expect(await mediaTypesOf('lighthouse type:video')).toEqual(['video'])
    expect(await mediaTypesOf('lighthouse type:video type:photo')).toEqual(['image', 'video'])
    expect(await mediaTypesOf('lighthouse type:video', { media_types: ['video', 'audio'] })).toEqual(['video'])
    expect(await mediaTypesOf('lighthouse type:video', { media_types: 'audio' })).toEqual([])
    expect(await mediaTypesOf('lighthouse', { media_types: ['image', 'audio'] })).toEqual(['audio', 'image'])
    expect(await mediaTypesOf('lighthouse tag:home')).toEqual(['image', 'video'])
    expect(await mediaTypesOf('lighthouse tag:HOME tag:garden')).toEqual(['image'])
    expect(await mediaTypesOf('lighthouse after:2026')).toEqual(['audio', 'document', 'video'])
    expect(await mediaTypesOf('lighthouse after:2026 before:2026-06')).toEqual(['audio', 'video'])
    expect(await mediaTypesOf('lighthouse before:2026-01-01')).toEqual(['image'])
    expect(await mediaTypesOf('lighthouse', { from: '2026-06-01T00:00:00Z' })).toEqual(['document'])
    expect(await mediaTypesOf('lighthouse after:2026-02', { to: '2026-06-01T14:00:00+02:00' })).toEqual(['audio'])
    expect(await mediaTypesOf('type:audio')).toEqual(['audio'])
    expect(await mediaTypesOf('tag:work')).toEqual(['document'])
  })

  test.each([
    ['in the user’s time zone for items that were only added', 'createdAt', [0, 1]],
    ['in the local time of the camera for items that were taken', 'takenAt', [0, 0]],
  ])('use days %s', async (_name, column, expected) => {
    await addItem({ [column]: new Date('2026-05-01T03:00:00Z') }, ['A lighthouse'])
    const resultCount = async (zone: string) => {
      const response = await mira.request
        .get('/api/media/search')
        .query({ query: 'lighthouse before:2026-05' })
        .set('X-Time-Zone', zone)
        .auth(account.token, { type: 'bearer' })
      return (response.body as SearchResponseJson).results.length
    }
    expect([await resultCount('Europe/Berlin'), await resultCount('America/New_York')]).toEqual(expected)
  })

  test('alone list the newest items first', async () => {
    const [older, newer] = [new Date('2026-01-01'), new Date('2026-02-01')]
    await addItem({ takenAt: older, mediaType: 'video' }, [{ kind: 'name', body: 'older.mp4' }, 'A sea'])
    await addItem({ takenAt: newer, mediaType: 'video' }, ['A lake', { kind: 'name', body: 'newer.mp4' }])
    expect(await snippets('type:video')).toEqual(['A lake', 'A sea'])
    expect([(await search('type:video')).is_listing, (await search('lake')).is_listing]).toEqual([true, undefined])
  })
})

describe('results', () => {
  test('give the position in a video, and link to it', async () => {
    const video = await addItem({ mediaType: 'video', originalFilename: 'trip.mp4', caption: 'A trip' }, [
      { body: 'A harbour at dusk', frameNumber: 3, startSeconds: 65.2 },
      { kind: 'text', body: 'Exit to the ferry', frameNumber: 3, startSeconds: 65.2 },
      { kind: 'speech', body: 'Now we take the tram', startSeconds: 245, endSeconds: 249 },
    ])
    const { results } = await search('ferry harbour')
    expect(results).toEqual([
      {
        id: expect.any(String),
        media_id: video.id,
        media_type: 'video',
        similarity_score: expect.any(Number),
        matched: 'words',
        found_in: expect.stringMatching(/caption|text/),
        thumbnail: null,
        caption: 'A harbour at dusk',
        extracted_text: 'Exit to the ferry',
        content: expect.stringMatching(/harbour|ferry/),
        highlights: [[expect.any(Number), expect.any(Number)]],
        timestamp: video.createdAt.toISOString(),
        taken_local: null,
        duration: null,
        is_video_frame: true,
        frame_number: 3,
        timestamp_seconds: 65.2,
        page: null,
        box: null,
        original_filename: 'trip.mp4',
        url: `/gallery/${video.id}?t=65.2&frame=3&q=ferry+harbour`,
        certainty: 'found',
      },
    ])
    expect(results[0]?.similarity_score).toBeGreaterThan(0.9)
    const [result] = (await search('tram')).results
    expect(result).toMatchObject({
      found_in: 'speech',
      is_video_frame: false,
      timestamp_seconds: 245,
      caption: 'A trip',
    })
    expect(result?.url).toBe(`/gallery/${video.id}?t=245&q=tram`)
  })

  test('can exclude frames of videos', async () => {
    await addItem({ mediaType: 'video' }, [{ body: 'A lighthouse', frameNumber: 1, startSeconds: 0 }])
    await addItem({ mediaType: 'image' }, ['A lighthouse'])
    const types = async (include_frames: string) =>
      (await search('lighthouse', { include_frames })).results.map(({ media_type }) => media_type).sort()
    expect([await types('true'), await types('false')]).toEqual([['image', 'video'], ['image']])
  })

  test('are one per page, and at most three per item when others are found', async () => {
    const document = await addItem({ mediaType: 'document' }, [
      ...[1, 1, 2, 3, 4, 5].map((page) => ({ kind: 'text', body: 'The lighthouse', page }) as const),
    ])
    const places = async (limit: string) =>
      (await search('lighthouse', { limit })).results.map(({ media_id, page }) => [media_id === document.id, page])
    expect((await places('20')).map(([, page]) => page).sort()).toEqual([1, 2, 3, 4, 5])
    for (let times = 0; times < 4; times++) await addItem({}, ['The lighthouse'])
    expect((await places('7')).filter(([isDocument]) => isDocument)).toHaveLength(3)
  })

  test('show the part with the most words, limited in length', async () => {
    const filler = 'Something else is written here. '.repeat(60)
    await addItem({ mediaType: 'document' }, [
      { kind: 'text', body: `A lantern. ${filler} The lantern of the lighthouse keeper. ${filler}`, page: 1 },
    ])
    const [snippet = ''] = await snippets('lantern keeper')
    expect(snippet).toContain('The ‹lantern› of the lighthouse ‹keeper›.')
    expect(snippet.length).toBeLessThan(500)
    expect(snippet).toMatch(/^….*…$/)
  })

  test('carry signed thumbnails of their frame, page or item', async () => {
    const { prisma } = mira.context.database
    const video = await addItem({ mediaType: 'video' }, [
      { body: 'A lighthouse', frameNumber: 2, startSeconds: 8 },
      { kind: 'speech', body: 'Look at this tower', startSeconds: 9.5, endSeconds: 11 },
    ])
    for (const number of [1, 2, 3]) {
      await prisma.mediaPart.create({
        data: {
          ...{ mediaItemId: video.id, userId: account.user.id, kind: 'frame', number, startSeconds: number * 4 },
          ...{ path: `frame-${number}`, sizeBytes: 1, width: 1, height: 1 },
        },
      })
    }
    const thumbnailOf = async (query: string) => (await search(query)).results[0]?.thumbnail?.split('?')[0]
    expect(await thumbnailOf('lighthouse')).toBe(`/api/media/${video.id}/frames/2`)
    expect(await thumbnailOf('tower')).toBe(`/api/media/${video.id}/frames/2`)
    const picture = await addItem({}, ['A windmill'])
    expect(await thumbnailOf('windmill')).toBe(`/api/media/${picture.id}/thumbnail`)
  })
})

test('another user’s items aren’t found, and don’t affect scores', async () => {
  const other = await mira.createUser({ can_upload: true })
  const theirs = searchesOf(mira, other)
  const item = await theirs.addItem({ tags: ['lighthouse'], originalFilename: 'lighthouse.png' }, ['A lighthouse'])
  const queries = [
    'lighthouse',
    'lighthuose',
    '"A lighthouse"',
    'light',
    'tag:lighthouse',
    'type:image',
    '-cat lighthouse',
  ]
  for (const query of queries) {
    expect([query, (await search(query)).results]).toEqual([query, []])
    expect([query, (await theirs.search(query)).results.map(({ media_id }) => media_id)]).toEqual([query, [item.id]])
  }
  // their items don't change the scores either
  await addItem({}, ['A lighthouse'])
  const before = (await search('lighthouse bicycle')).results.map(({ similarity_score }) => similarity_score)
  await theirs.addItem({}, ['A bicycle'])
  expect((await search('lighthouse bicycle')).results.map(({ similarity_score }) => similarity_score)).toEqual(before)
})

test('deleted items aren’t found', async () => {
  const item = await addItem({}, ['A lighthouse'])
  await mira.context.database.prisma.mediaItem.delete({ where: { id: item.id } })
  expect(await snippets('lighthouse')).toEqual([])
})

test('without an engine the response gives the reason for searching words only', async () => {
  expect(await search('anything')).toMatchObject({
    results: [],
    mode: 'words',
    mode_reason_code: 'no_embedding_engine',
    mode_reason: 'No model for searching by meaning is connected. Ask an administrator.',
  })
})

test('tags of an item find it, alone and with words of its texts', async () => {
  const tagged = await addItem({ tags: ['Advent', 'home made'] }, ['A table with candles'])
  await addItem({ tags: ['adventure'] }, ['A mountain'])
  const itemIds = async (query: string) => (await search(query)).results.map(({ media_id }) => media_id)
  expect(await itemIds('advent')).toEqual([tagged.id])
  expect((await itemIds('advent candles'))[0]).toBe(tagged.id)
})
