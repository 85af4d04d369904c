import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { frame, openResults, type TestResults } from '../../../../test/step-results.ts'
import { createResultsStore, type PlacedMoment } from './results.store.ts'
import { createResults, type Results } from './results.ts'
import { type Finding, type ItemFacts, type NewMoment, RunReplacedError, type StepItem } from './step.ts'
import { createProcessingStore } from './store.ts'

let testResults: TestResults
let database: TestResults['database']
let results: Results
let item: StepItem

beforeAll(async () => {
  testResults = await openResults()
  ;({ database, results } = testResults)
})
afterAll(() => testResults.close())
beforeEach(async () => {
  item = await testResults.newItem()
})

/** Stores one finding at once, as a long step does. */
const storeFinding = async (target: StepItem, finding: Finding | Promise<Finding>) =>
  results.store(target, [await finding])
const replaceMoments = (target: StepItem, kind: NewMoment['kind'], moments: NewMoment[]) =>
  storeFinding(target, results.replaceMoments(target, kind, moments))
const describeItem = (target: StepItem, facts: ItemFacts) => storeFinding(target, results.updateFacts(target, facts))

const origin = { engine: 'built-in', model: null } as const
const text = (body: string, fields: Partial<NewMoment> = {}): NewMoment => ({
  kind: 'text',
  body,
  ...origin,
  ...fields,
})
const speech = (body: string, startSeconds: number): NewMoment => ({
  ...{ kind: 'speech', body, startSeconds, endSeconds: startSeconds + 4 },
  ...origin,
})

const moments = (kind = 'text') =>
  database.prisma.moment.findMany({ where: { mediaItemId: item.id, kind }, orderBy: { position: 'asc' } })
const bodies = async (kind?: string) => (await moments(kind)).map(({ body }) => body)
const row = () => database.prisma.mediaItem.findUniqueOrThrow({ where: { id: item.id } })
/** Corrects moments as a user does. */
const lock = (where: { page?: number; startSeconds?: number }, body: string) =>
  database.prisma.moment.updateMany({
    where: { mediaItemId: item.id, ...where },
    data: { body, engine: 'user', lockedAt: new Date() },
  })

describe('moments', () => {
  test('replace those of their kind, in order, each with its language', async () => {
    await replaceMoments(item, 'caption', [{ kind: 'caption', body: 'A harbour.', ...origin }])
    await replaceMoments(item, 'text', [text('old')])
    await replaceMoments(item, 'text', [
      text('The ships are in the harbour with their sails.'),
      text('Die Schiffe liegen im Hafen und warten auf den Wind.'),
      text('Schiff', { language: 'pt' }),
    ])
    const { rows } = await database.pool.query(
      `SELECT body, language, lang::text FROM moments WHERE media_item_id = $1 AND kind = 'text' ORDER BY position`,
      [item.id],
    )
    expect(rows.map(({ language, lang }) => [language, lang])).toEqual([
      ['en', 'english'],
      ['de', 'german'],
      ['pt', 'simple'],
    ])
    expect(await bodies('caption')).toEqual(['A harbour.'])
  })

  test('are short, and start at the offset of their passage', async () => {
    const long = 'A sentence that is said again. '.repeat(200)
    await replaceMoments(item, 'text', [text(long, { page: 2, characterOffset: 100 })])
    const stored = await moments()
    expect(stored.map(({ body }) => body).join('')).toBe(long)
    for (const { body, characterOffset } of stored) {
      expect(body.length).toBeLessThanOrEqual(2000)
      expect(long.startsWith(body, (characterOffset ?? 0) - 100)).toBe(true)
    }
  })

  test('are all replaced when there are many', async () => {
    const many = (word: string) => Array.from({ length: 450 }, (_, page) => text(`${word} ${page}`, { page: page + 1 }))
    await replaceMoments(item, 'text', many('old'))
    await replaceMoments(item, 'text', many('new'))
    const stored = await bodies()
    expect(stored).toEqual(many('new').map(({ body }) => body))
    await replaceMoments(item, 'text', [])
    expect(await bodies()).toEqual([])
    expect((await row()).extractedText).toBeNull()
  })

  test('of a dense text are stored in small batches, so that indexing blocks nobody for long', async () => {
    const store = createResultsStore(database)
    const batches: PlacedMoment[][] = []
    const recordingResults = createResults({
      store: {
        ...store,
        addMoments: (sql, target, batch) => {
          batches.push(batch)
          return store.addMoments(sql, target, batch)
        },
        replaceMoments: (sql, target, kind, batch, fullText) => {
          batches.push(batch)
          return store.replaceMoments(sql, target, kind, batch, fullText)
        },
      },
      files: testResults.files,
      unreferencedFiles: testResults.unreferencedFiles,
      log: silentLog,
    })
    const dense = Array.from({ length: 120_000 }, (_, index) =>
      String.fromCharCode(0x4e00 + ((index * 7919) % 20_000)),
    ).join('')
    await results.store(item, [await recordingResults.replaceMoments(item, 'text', [text(dense)])])
    const sizes = batches.map((batch) => batch.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(40_000)
    expect((await bodies()).join('')).toBe(dense)
  })

  test('make up the text, transcript and caption of the item', async () => {
    await replaceMoments(item, 'text', [
      text('First page. ', { page: 1, characterOffset: 0 }),
      text('Goes on.', { page: 1, characterOffset: 12 }),
      text('Second page.', { page: 2, characterOffset: 0 }),
    ])
    await replaceMoments(item, 'speech', [speech('Good morning.', 0), speech('And good night.', 4)])
    await replaceMoments(item, 'caption', [
      { kind: 'caption', body: 'A boat.', frameNumber: 1, ...origin },
      { kind: 'caption', body: 'A boat.', frameNumber: 2, ...origin },
      { kind: 'caption', body: 'A gull.', frameNumber: 3, ...origin },
    ])
    expect(await row()).toMatchObject({
      extractedText: 'First page. Goes on.\n\nSecond page.',
      transcription: 'Good morning. And good night.',
      caption: 'A boat. A gull.',
    })
  })

  test('of a user stay, and new ones for the same location are dropped', async () => {
    const pages = [1, 2, 3].map((page) => text(`page ${page}`, { page, characterOffset: 0 }))
    await replaceMoments(item, 'text', pages)
    await lock({ page: 2 }, 'mine')
    await replaceMoments(item, 'text', pages)
    expect(await bodies()).toEqual(['page 1', 'mine', 'page 3'])
    expect((await row()).extractedText).toBe('page 1\n\nmine\n\npage 3')

    await replaceMoments(item, 'speech', [speech('a', 0), speech('b', 4), speech('c', 8)])
    await lock({ startSeconds: 4 }, 'bee')
    await replaceMoments(item, 'speech', [speech('a', 0), speech('b', 4.5), speech('c', 8.5)])
    expect(await bodies('speech')).toEqual(['a', 'bee', 'c'])
  })

  test('of a user about the whole item replace all others except those of frames', async () => {
    await replaceMoments(item, 'text', [text('read')])
    await lock({}, 'mine')
    await replaceMoments(item, 'text', [text('read again'), text('on screen', { frameNumber: 3 })])
    expect(await bodies()).toEqual(['mine', 'on screen'])
    expect((await row()).extractedText).toBe('mine')
  })

  test('lose characters that can’t be stored, and blank ones are dropped', async () => {
    await replaceMoments(item, 'text', [text('nul\0 and half \uD83D of one'), text(' \n ')])
    expect(await bodies()).toEqual(['nul and half \uFFFD of one'])
  })
})

describe('moments of a turn', () => {
  const page = (number: number, body = `page ${number}`) => text(body, { page: number, characterOffset: 0 })
  const pages = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => page(from + index))
  const storeTurn = (index: number, moments: NewMoment[], places = moments.map((moment) => moment.page ?? null)) =>
    results.keepMoments(item, { at: index }, { kind: 'text', moments: moments, replacedPages: places })
  const earlierFindings = async () => (await results.earlierFindings(item)) as NewMoment[]
  const readMoments = async () => (await moments()).map(({ id: _id, createdAt: _at, ...moment }) => moment)

  test('are stored at once, and the last turn leaves them unchanged', async () => {
    await storeTurn(1, pages(1, 450))
    await storeTurn(2, pages(451, 460))
    const early = await moments()
    expect(early.map(({ body }) => body)).toEqual(pages(1, 460).map(({ body }) => body))
    await replaceMoments(item, 'text', [...(await earlierFindings()), ...pages(461, 470)])
    const stored = await moments()
    expect(stored.map(({ body, position }) => [body, position])).toEqual(
      pages(1, 470).map(({ body }, position) => [body, position]),
    )
    expect(stored.slice(0, 460).map(({ id }) => id)).toEqual(early.map(({ id }) => id))
    expect((await row()).extractedText).toMatch(/^page 1\n\npage 2\n.*page 470$/s)
  })

  test('end up as if all had been stored at once, whatever the order in which they were found', async () => {
    const scanned = [2, 5].map((number) => page(number))
    const imageText = page(4, 'words in a picture')
    const all = [page(1), ...scanned.slice(0, 1), page(3), page(4), imageText, ...scanned.slice(1), page(6)]
    await storeTurn(1, [page(1), page(3), page(4), page(6)])
    await storeTurn(2, [imageText, ...scanned], [2, 5])
    expect((await bodies()).toSorted()).toEqual(all.map(({ body }) => body).toSorted())
    await replaceMoments(
      item,
      'text',
      (await earlierFindings()).toSorted((a, b) => (a.page ?? 0) - (b.page ?? 0)),
    )
    const [momentsInTurns, textInTurns] = [await readMoments(), (await row()).extractedText]
    await replaceMoments(item, 'text', [])
    await replaceMoments(item, 'text', all)
    expect(momentsInTurns).toEqual(await readMoments())
    expect(textInTurns).toBe((await row()).extractedText)
  })

  test('of an interrupted turn are stored once when the turn is repeated', async () => {
    // Enough for several transactions, the last of which fails.
    const moments = pages(1, 450)
    await expect(storeTurn(1, [...moments, { ...page(451), page: Number.NaN }])).rejects.toThrow()
    expect((await bodies()).length).toBeGreaterThan(0)
    expect(await earlierFindings()).toEqual([])
    await storeTurn(1, moments)
    expect(await bodies()).toEqual(moments.map(({ body }) => body))
  })

  test('replace earlier ones at the same location, and the others stay until the last turn', async () => {
    await replaceMoments(
      item,
      'text',
      [1, 2, 3].map((number) => page(number, `before ${number}`)),
    )
    await storeTurn(1, [page(1)])
    expect((await bodies()).toSorted()).toEqual(['before 2', 'before 3', 'page 1'])
    await replaceMoments(item, 'text', [...(await earlierFindings()), page(2)])
    expect(await bodies()).toEqual(['page 1', 'page 2'])
  })

  test('of a document without pages are all kept', async () => {
    await replaceMoments(item, 'text', [text('before')])
    await storeTurn(1, [text('Its own text.')], [null])
    await storeTurn(2, [text('Words of a picture.')], [])
    expect(await bodies()).toEqual(['Its own text.', 'Words of a picture.'])
  })

  test('yield to the user’s corrections, made before or after they were found', async () => {
    await storeTurn(1, pages(1, 2))
    await lock({ page: 2 }, 'mine')
    await database.prisma.moment.create({
      data: {
        mediaItemId: item.id,
        userId: testResults.userId,
        kind: 'text',
        position: 0,
        page: 3,
        body: 'mine, too',
        engine: 'user',
        lockedAt: new Date(),
      },
    })
    await storeTurn(2, pages(3, 4))
    expect((await bodies()).toSorted()).toEqual(['mine', 'mine, too', 'page 1', 'page 4'])
    await replaceMoments(item, 'text', await earlierFindings())
    expect(await bodies()).toEqual(['page 1', 'mine', 'mine, too', 'page 4'])
  })

  test('of an overtaken run aren’t stored', async () => {
    const late = { ...item, run: { ...item.run, startedAt: new Date(0) } }
    const turnResult = { kind: 'text', moments: pages(1, 2), replacedPages: [1, 2] } as const
    await expect(results.keepMoments(late, { at: 1 }, turnResult)).rejects.toThrow(RunReplacedError)
    expect(await bodies()).toEqual([])
  })
})

test('keeps a place only for users who want that', async () => {
  const facts = { latitude: 48.2, longitude: 16.4, camera: 'A camera', details: { codec: 'h264' } }
  await describeItem(item, facts)
  expect(await row()).toMatchObject({ latitude: null, camera: 'A camera' })
  await describeItem({ ...item, keepsLocation: true }, { ...facts, details: { title: 'nul\0' } })
  expect(await row()).toMatchObject({ latitude: 48.2, longitude: 16.4, details: { codec: 'h264', title: 'nul' } })
})

test('an overtaken run writes nothing', async () => {
  const store = createProcessingStore(database)
  await store.claim(item.id, 4)
  const startedRun = (await store.advance(item.id, { next: 'inspect' }))?.startedRun
  const overtakenItem: StepItem = { ...item, run: startedRun! }
  await describeItem(overtakenItem, { camera: 'first' })
  await store.claim(item.id, 4)
  for (const write of [
    () => describeItem(overtakenItem, { camera: 'late' }),
    () => replaceMoments(overtakenItem, 'text', [text('late')]),
    () => results.replaceParts(overtakenItem, 'frame', [frame(1)]),
    () => storeFinding(overtakenItem, results.setWords(overtakenItem, 'frame', 1, [])),
    () => {
      const thumbnail = { data: Buffer.from('late'), contentType: 'image/webp', width: 4, height: 3 }
      return storeFinding(overtakenItem, results.setPicture(overtakenItem, { thumbnail, preview: null }))
    },
  ]) {
    await expect(write()).rejects.toBeInstanceOf(RunReplacedError)
  }
  expect(await row()).toMatchObject({ camera: 'first' })
  expect([await bodies(), await results.parts(item, 'frame')]).toEqual([[], []])
})
