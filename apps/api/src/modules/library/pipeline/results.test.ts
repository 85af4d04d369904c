import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { frame, openResults, type TestResults } from '../../../../test/step-results.ts'
import { createResultsStore, type PlacedMoment } from './results.store.ts'
import { createResults, type Results } from './results.ts'
import { type Finding, type ItemFacts, type NewMoment, OvertakenError, type StepItem } from './step.ts'
import { createProcessingStore } from './store.ts'

let opened: TestResults
let database: TestResults['database']
let results: Results
let item: StepItem

beforeAll(async () => {
  opened = await openResults()
  ;({ database, results } = opened)
})
afterAll(() => opened.close())
beforeEach(async () => {
  item = await opened.newItem()
})

/** Stores one finding at once, as a long step does. */
const keep = async (of: StepItem, finding: Finding | Promise<Finding>) => results.store(of, [await finding])
const replaceMoments = (of: StepItem, kind: NewMoment['kind'], moments: NewMoment[]) =>
  keep(of, results.replaceMoments(of, kind, moments))
const describeItem = (of: StepItem, facts: ItemFacts) => keep(of, results.describe(of, facts))

const origin = { engine: 'built-in', model: null } as const
const text = (body: string, more: Partial<NewMoment> = {}): NewMoment => ({ kind: 'text', body, ...origin, ...more })
const speech = (body: string, startSeconds: number): NewMoment => ({
  ...{ kind: 'speech', body, startSeconds, endSeconds: startSeconds + 4 },
  ...origin,
})

const moments = (kind = 'text') =>
  database.prisma.moment.findMany({ where: { mediaItemId: item.id, kind }, orderBy: { position: 'asc' } })
const bodies = async (kind?: string) => (await moments(kind)).map(({ body }) => body)
const row = () => database.prisma.mediaItem.findUniqueOrThrow({ where: { id: item.id } })
/** As a user does who writes their own text. */
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

  test('are short, and begin where their passage does', async () => {
    const long = 'A sentence that is said again. '.repeat(200)
    await replaceMoments(item, 'text', [text(long, { page: 2, characterOffset: 100 })])
    const stored = await moments()
    expect(stored.map(({ body }) => body).join('')).toBe(long)
    for (const { body, characterOffset } of stored) {
      expect(body.length).toBeLessThanOrEqual(2000)
      expect(long.startsWith(body, (characterOffset ?? 0) - 100)).toBe(true)
    }
  })

  test('of which there are many are all replaced', async () => {
    const many = (word: string) => Array.from({ length: 450 }, (_, page) => text(`${word} ${page}`, { page: page + 1 }))
    await replaceMoments(item, 'text', many('old'))
    await replaceMoments(item, 'text', many('new'))
    const stored = await bodies()
    expect(stored).toEqual(many('new').map(({ body }) => body))
    await replaceMoments(item, 'text', [])
    expect(await bodies()).toEqual([])
    expect((await row()).extractedText).toBeNull()
  })

  test('of a dense text are stored a few at a time, so that nobody waits while they are indexed', async () => {
    const store = createResultsStore(database)
    const written: PlacedMoment[][] = []
    const watched = createResults({
      store: {
        ...store,
        addMoments: (sql, of, some) => {
          written.push(some)
          return store.addMoments(sql, of, some)
        },
        replaceMoments: (sql, of, kind, some, whole) => {
          written.push(some)
          return store.replaceMoments(sql, of, kind, some, whole)
        },
      },
      files: opened.files,
      looseFiles: opened.looseFiles,
      log: silentLog,
    })
    const dense = Array.from({ length: 120_000 }, (_, at) => String.fromCharCode(0x4e00 + ((at * 7919) % 20_000))).join(
      '',
    )
    await results.store(item, [await watched.replaceMoments(item, 'text', [text(dense)])])
    const sizes = written.map((some) => some.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(40_000)
    expect((await bodies()).join('')).toBe(dense)
  })

  test('make up what the item says as a whole', async () => {
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

  test('of a person stay, and what is new for the same place is dropped', async () => {
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

  test('of a person about the whole item stand for all of it, beside those of frames', async () => {
    await replaceMoments(item, 'text', [text('read')])
    await lock({}, 'mine')
    await replaceMoments(item, 'text', [text('read again'), text('on screen', { frameNumber: 3 })])
    expect(await bodies()).toEqual(['mine', 'on screen'])
    expect((await row()).extractedText).toBe('mine')
  })

  test('may hold any characters, and blank ones are none', async () => {
    await replaceMoments(item, 'text', [text('nul\0 and half \uD83D of one'), text(' \n ')])
    expect(await bodies()).toEqual(['nul and half \uFFFD of one'])
  })
})

describe('moments of a turn', () => {
  const page = (number: number, body = `page ${number}`) => text(body, { page: number, characterOffset: 0 })
  const pages = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => page(from + index))
  const keepTurn = (index: number, moments: NewMoment[], places = moments.map((moment) => moment.page ?? null)) =>
    results.keepMoments(item, { at: index }, { kind: 'text', moments: moments, places })
  const earlierFindings = async () => (await results.earlierFindings(item)) as NewMoment[]
  const whole = async () => (await moments()).map(({ id: _id, createdAt: _at, ...moment }) => moment)

  test('are there at once, and the last turn leaves them as they are', async () => {
    await keepTurn(1, pages(1, 450))
    await keepTurn(2, pages(451, 460))
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

  test('end as if all had been stored at once, in whichever order they were found', async () => {
    const scanned = [2, 5].map((number) => page(number))
    const beside = page(4, 'words in a picture')
    const all = [page(1), ...scanned.slice(0, 1), page(3), page(4), beside, ...scanned.slice(1), page(6)]
    await keepTurn(1, [page(1), page(3), page(4), page(6)])
    await keepTurn(2, [beside, ...scanned], [2, 5])
    expect((await bodies()).toSorted()).toEqual(all.map(({ body }) => body).toSorted())
    await replaceMoments(
      item,
      'text',
      (await earlierFindings()).toSorted((a, b) => (a.page ?? 0) - (b.page ?? 0)),
    )
    const [inTurns, toldInTurns] = [await whole(), (await row()).extractedText]
    await replaceMoments(item, 'text', [])
    await replaceMoments(item, 'text', all)
    expect(inTurns).toEqual(await whole())
    expect(toldInTurns).toBe((await row()).extractedText)
  })

  test('that died before they were all stored are there once when the turn was done again', async () => {
    // as many as are stored in several transactions; the last of them never comes
    const moments = pages(1, 450)
    await expect(keepTurn(1, [...moments, { ...page(451), page: Number.NaN }])).rejects.toThrow()
    expect((await bodies()).length).toBeGreaterThan(0)
    expect(await earlierFindings()).toEqual([])
    await keepTurn(1, moments)
    expect(await bodies()).toEqual(moments.map(({ body }) => body))
  })

  test('take the place of what was found there before, and the others stay until the last turn', async () => {
    await replaceMoments(
      item,
      'text',
      [1, 2, 3].map((number) => page(number, `before ${number}`)),
    )
    await keepTurn(1, [page(1)])
    expect((await bodies()).toSorted()).toEqual(['before 2', 'before 3', 'page 1'])
    await replaceMoments(item, 'text', [...(await earlierFindings()), page(2)])
    expect(await bodies()).toEqual(['page 1', 'page 2'])
  })

  test('of a document in one piece stand beside each other', async () => {
    await replaceMoments(item, 'text', [text('before')])
    await keepTurn(1, [text('Its own text.')], [null])
    await keepTurn(2, [text('Words of a picture.')], [])
    expect(await bodies()).toEqual(['Its own text.', 'Words of a picture.'])
  })

  test('give way to what a person wrote meanwhile, before and after they were found', async () => {
    await keepTurn(1, pages(1, 2))
    await lock({ page: 2 }, 'mine')
    await database.prisma.moment.create({
      data: {
        mediaItemId: item.id,
        userId: opened.userId,
        kind: 'text',
        position: 0,
        page: 3,
        body: 'mine, too',
        engine: 'user',
        lockedAt: new Date(),
      },
    })
    await keepTurn(2, pages(3, 4))
    expect((await bodies()).toSorted()).toEqual(['mine', 'mine, too', 'page 1', 'page 4'])
    await replaceMoments(item, 'text', await earlierFindings())
    expect(await bodies()).toEqual(['page 1', 'mine', 'mine, too', 'page 4'])
  })

  test('of a run whose place another one has taken are not stored', async () => {
    const late = { ...item, run: { ...item.run, startedAt: new Date(0) } }
    const turnResult = { kind: 'text', moments: pages(1, 2), places: [1, 2] } as const
    await expect(results.keepMoments(late, { at: 1 }, turnResult)).rejects.toThrow(OvertakenError)
    expect(await bodies()).toEqual([])
  })
})

test('a place is kept only for those who want that', async () => {
  const facts = { latitude: 48.2, longitude: 16.4, camera: 'A camera', details: { codec: 'h264' } }
  await describeItem(item, facts)
  expect(await row()).toMatchObject({ latitude: null, camera: 'A camera' })
  await describeItem({ ...item, keepsPlace: true }, { ...facts, details: { title: 'nul\0' } })
  expect(await row()).toMatchObject({ latitude: 48.2, longitude: 16.4, details: { codec: 'h264', title: 'nul' } })
})

test('a run whose place another one has taken writes nothing', async () => {
  const store = createProcessingStore(database)
  await store.claim(item.id, 4)
  const startedRun = (await store.advance(item.id, { next: 'inspect' }))?.startedRun
  const mine: StepItem = { ...item, run: startedRun! }
  await describeItem(mine, { camera: 'first' })
  await store.claim(item.id, 4)
  for (const write of [
    () => describeItem(mine, { camera: 'late' }),
    () => replaceMoments(mine, 'text', [text('late')]),
    () => results.replaceParts(mine, 'frame', [frame(1)]),
    () => keep(mine, results.setWords(mine, 'frame', 1, [])),
    () => {
      const thumbnail = { data: Buffer.from('late'), contentType: 'image/webp', width: 4, height: 3 }
      return keep(mine, results.setPicture(mine, { thumbnail, preview: null }))
    },
  ]) {
    await expect(write()).rejects.toBeInstanceOf(OvertakenError)
  }
  expect(await row()).toMatchObject({ camera: 'first' })
  expect([await bodies(), await results.parts(item, 'frame')]).toEqual([[], []])
})
