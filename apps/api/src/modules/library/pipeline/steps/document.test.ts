import { expect, test } from 'vitest'
import { ValidationError } from '../../../../errors.ts'
import type { PictureProcesses } from '../../../../parsers/image/picture-processes.ts'
import type { Papers } from '../../../../parsers/office/papers.ts'
import type { Pdf } from '../../../../parsers/pdf/pdf.ts'
import type { WebFetcher } from '../../../../platform/net/web-fetcher.ts'
import type { Results } from '../results.ts'
import type { NewMoment, NewPart, StepContext } from '../step.ts'
import { createDocumentSteps, type DocumentStepsDeps } from './document.ts'
import type { Reader } from './read.ts'

/** A document of pages whose text layers are these; what is drawn is read as "drawn 1", "drawn 2", … */
function stepsFor(
  layers: string[],
  options: Partial<DocumentStepsDeps> & { read?: Reader['readPicture']; contentType?: string } = {},
) {
  const stored = {
    ...{ moments: [] as NewMoment[], parts: [] as number[], drawings: [] as number[] },
    ...{ checkpoint: null as unknown, found: [] as NewMoment[] },
  }
  const pdf: Pdf = {
    inspect: async () => ({ pageCount: layers.length, title: null, author: null, createdAt: null }),
    async *texts(_filename, _signal, { first = 1 } = {}) {
      const pages = layers.map((text, index) => ({ page: index + 1, text })).slice(first - 1)
      while (pages.length > 0) yield pages.splice(0, 2)
    },
    async *draw(_filename, { pages }) {
      for (const page of pages) {
        stored.drawings.push(page)
        yield { page, filename: `/nowhere/${page}`, width: 10, height: 10 }
      }
    },
    attachments: async () => [],
    close: async () => {},
  }
  const reader: Reader = {
    ...{ engine: 'built-in', model: 'reader' },
    reasonOff: () => null,
    readPicture: async (filename) => ({ text: `drawn ${filename.at(-1)}`, words: [], confidence: 0.9, language: 'en' }),
  }
  const results: Pick<
    Results,
    'replaceMoments' | 'replaceParts' | 'checkpoint' | 'keepCheckpoint' | 'keepMoments' | 'foundBefore'
  > = {
    checkpoint: async () => structuredClone(stored.checkpoint),
    keepCheckpoint: async (_item, checkpoint) => {
      stored.checkpoint = structuredClone(checkpoint)
    },
    keepMoments: async (_item, checkpoint, { moments, places }) => {
      stored.checkpoint = structuredClone(checkpoint)
      stored.found.push(...structuredClone(moments))
      const replaced = new Set(places)
      stored.moments = [...stored.moments.filter(({ page }) => !replaced.has(page ?? null)), ...moments]
    },
    foundBefore: async () => [...stored.found],
    replaceMoments: async (_item, _kind, moments) => {
      stored.moments = moments
      return async () => {}
    },
    replaceParts: async (_item, _kind, parts: AsyncIterable<NewPart> | Iterable<NewPart>, hasMore) => {
      const numbers: number[] = []
      for await (const { number } of parts) numbers.push(number)
      const keptNumbers = stored.parts.filter(
        (part) => !numbers.includes(part) && (hasMore || part < (numbers.at(-1) ?? 0)),
      )
      stored.parts = [...keptNumbers, ...numbers].toSorted((a, b) => a - b)
    },
  }
  const { read: readPicture, contentType = 'application/pdf', ...deps } = options
  const steps = createDocumentSteps({
    results: results as Results,
    pictures: {
      images: { thumbnail: async () => ({ data: Buffer.from('a'), contentType: 'image/webp', width: 1, height: 1 }) },
      thumbhashOf: async () => '',
      tiffs: pdf,
    } as unknown as PictureProcesses,
    pdf,
    papers: {} as Papers,
    subtitleFiles: { wordsOf: () => null, notifyFilms: async () => {} },
    reader: readPicture ? { ...reader, readPicture } : reader,
    embedSteps: {
      embed: async () => ({ engine: null, model: null }),
      look: async () => ({ engine: null, model: null }),
    },
    fetcher: {} as WebFetcher,
    ...deps,
  })
  const context = {
    item: { pageCount: layers.length, contentType },
    ...{ filename: '', format: contentType === 'application/pdf' ? 'pdf' : 'pptx', scratch: '', language: 'en' },
    signal: new AbortController().signal,
    progress: () => {},
  } as unknown as StepContext
  const read = async () => {
    const { findings: _stored, ...outcome } = (await steps.read?.(context)) ?? {}
    return outcome
  }
  return { stored, read, draw: () => steps.pages?.(context) }
}

const sentence = 'This page has a text layer of its own.'
const pagesOf = (moments: NewMoment[]) =>
  Object.fromEntries([...moments].sort((a, b) => (a.page ?? 0) - (b.page ?? 0)).map(({ page, body }) => [page, body]))

test('only pages without text are read as pictures, and what little they have is kept when nothing is read', async () => {
  const read: Reader['readPicture'] = async (filename) => ({
    text: filename.endsWith('2') ? 'drawn 2' : '',
    ...{ words: [], confidence: null, language: null },
  })
  const { stored, ...steps } = stepsFor([sentence, '', 'p. 3'], { read })
  expect(await steps.read()).toEqual({ engine: 'built-in', model: 'reader' })
  expect(pagesOf(stored.moments)).toEqual({ 1: sentence, 2: 'drawn 2', 3: 'p. 3' })
})

test('of very many pages some are read and drawn, and the step says so', async () => {
  const { stored, ...steps } = stepsFor(['', '', '', ''], { limits: { readPages: 2, drawnPages: 3 } })
  expect(await steps.read()).toMatchObject({ note: { text: 'The first 2 of the 4 pages without text were read.' } })
  expect(pagesOf(stored.moments)).toEqual({ 1: 'drawn 1', 2: 'drawn 2' })
  expect(await steps.draw()).toMatchObject({ note: { text: 'The first 3 of 4 pages have a thumbnail.' } })
  expect(stored.parts).toEqual([1, 2, 3])
})

test('very many scanned pages are read some at a time, each once, and those that were read are found meanwhile', async () => {
  const readFiles: string[] = []
  const read: Reader['readPicture'] = async (filename) => {
    readFiles.push(filename)
    if (filename.endsWith('/4')) throw new ValidationError('It takes too long.')
    return { text: `drawn ${filename.split('/').at(-1)}`, words: [], confidence: 0.8, language: null }
  }
  const layers = ['', '', sentence, '', '', '']
  const { stored, ...steps } = stepsFor(layers, { read, limits: { pagesInTurn: 2 } })
  // of when it was read before
  stored.moments = [5, 3, 1].map((page) => ({
    kind: 'text',
    page,
    body: `before ${page}`,
    engine: 'remote',
    model: null,
  }))
  const turns = [await steps.read()]
  const first = { 1: 'drawn 1', 2: 'drawn 2', 3: sentence, 5: 'before 5' }
  expect(pagesOf(stored.moments)).toEqual(first)
  turns.push(await steps.read())
  expect(pagesOf(stored.moments)).toEqual({ ...first, 5: 'drawn 5' })
  turns.push(await steps.read())
  expect(turns).toEqual([
    { engine: 'built-in', model: 'reader', isUnfinished: true },
    { engine: 'built-in', model: 'reader', isUnfinished: true },
    { engine: 'built-in', model: 'reader', note: expect.objectContaining({ text: 'One page couldn’t be read.' }) },
  ])
  expect(readFiles).toEqual(['/nowhere/1', '/nowhere/2', '/nowhere/4', '/nowhere/5', '/nowhere/6'])
  expect(pagesOf(stored.moments)).toEqual({ 1: 'drawn 1', 2: 'drawn 2', 3: sentence, 5: 'drawn 5', 6: 'drawn 6' })
})

test('very many pages are drawn some at a time, each once, and all have their small picture after the last turn', async () => {
  const { stored, ...steps } = stepsFor(['', '', '', '', ''], { limits: { drawnInTurn: 2 } })
  // of a run that drew more
  stored.parts = [1, 4, 9]
  const unfinished = { engine: null, model: null, isUnfinished: true }
  expect(await steps.draw()).toEqual(unfinished)
  // a server that dies in a turn does that one again, and none before it
  const checkpoint = stored.checkpoint
  expect(await steps.draw()).toEqual(unfinished)
  stored.checkpoint = checkpoint
  expect(await steps.draw()).toEqual(unfinished)
  expect(await steps.draw()).toEqual({ engine: null, model: null })
  expect(stored.drawings).toEqual([1, 2, 3, 4, 3, 4, 5])
  expect(stored.parts).toEqual([1, 2, 3, 4, 5])
})

test('the text of very many pages is looked at some at a time, each once, however many of them are pictures', async () => {
  const layers = [sentence, 'p. 2', '', sentence, 'p. 5', sentence, '']
  const { stored, ...steps } = stepsFor(layers, { limits: { textPagesInTurn: 3, pagesInTurn: 3 } })
  const unfinished = { engine: 'built-in', model: null as string | null, isUnfinished: true }
  // four pages of text, the others and the first three pictures, the last one
  expect(await steps.read()).toEqual(unfinished)
  expect(stored.drawings).toEqual([])
  expect(await steps.read()).toEqual({ ...unfinished, model: 'reader' })
  expect(Object.keys(pagesOf(stored.moments))).toEqual(['1', '2', '3', '4', '5', '6'])
  expect(await steps.read()).toEqual({ engine: 'built-in', model: 'reader' })
  expect(stored.drawings).toEqual([2, 3, 5, 7])
  expect(stored.moments.map(({ page, body }) => [page, body])).toEqual(
    layers.map((text, index) => [index + 1, text === sentence ? sentence : `drawn ${index + 1}`]),
  )
})

test('a server that stops at the first of many pictures does not look at the text again', async () => {
  let looks = 0
  let reads = 0
  const read: Reader['readPicture'] = async () => {
    if (++reads === 2) throw new Error('The server stops.')
    return { text: 'drawn', words: [], confidence: 0.8, language: null }
  }
  const { stored, ...steps } = stepsFor([], {
    read,
    limits: { pagesInTurn: 2 },
    pdf: {
      async *texts() {
        looks++
        yield [1, 2, 3].map((page) => ({ page, text: '' }))
      },
      attachments: async () => [],
      async *draw(_filename: string, { pages }: { pages: number[] }) {
        for (const page of pages) yield { page, filename: `/nowhere/${page}`, width: 10, height: 10 }
      },
    } as unknown as Pdf,
  })
  await expect(steps.read()).rejects.toThrow('The server stops.')
  expect(await steps.read()).toHaveProperty('isUnfinished')
  await steps.read()
  expect(looks).toBe(1)
  expect(pagesOf(stored.moments)).toEqual({ 1: 'drawn', 2: 'drawn', 3: 'drawn' })
})

test('of a document whose pages hold more than any memory only the beginning is read, and the step says so', async () => {
  const layers = Array.from({ length: 4 }, () => sentence)
  const long = stepsFor(layers, { limits: { characters: 2 * sentence.length } })
  const many = stepsFor(layers, { limits: { textPages: 2 } })
  for (const { stored, ...steps } of [long, many]) {
    expect(await steps.read()).toMatchObject({
      note: { text: 'It’s very long: only the text before page 3 can be searched.' },
    })
    expect(pagesOf(stored.moments)).toEqual({ 1: sentence, 2: sentence })
  }
})

test('a page whose text layer is nonsense is read as a picture, unless that is unsure, and keeps what was noted on it', async () => {
  const layer = 'Boovbm!sfqpsu!pg!uif!mjhiuipvtf!tpdjfuz'
  const pages = [1, 2].map((page) => ({ page, text: layer, notes: 'Ana: pay it', isGarbled: true as const }))
  const document = stepsFor(['', ''], {
    pdf: {
      inspect: async () => ({ pageCount: 2, title: null, author: null, createdAt: null }),
      async *texts() {
        yield pages
      },
      attachments: async () => [{ name: 'factur-x.xml', text: 'Total: 5 EUR' }],
      async *draw(_filename: string, { pages }: { pages: number[] }) {
        for (const page of pages) yield { page, filename: `/nowhere/${page}`, width: 10, height: 10 }
      },
    } as unknown as Pdf,
    read: async (filename) => ({
      ...{ text: 'Annual report', words: [], language: 'en' },
      confidence: filename.endsWith('1') ? 0.9 : 0.2,
    }),
  })
  await document.read()
  expect(document.stored.moments.map(({ page, body }) => [page, body])).toEqual([
    [1, 'Annual report'],
    [1, 'Ana: pay it'],
    [1, 'factur-x.xml\n\nTotal: 5 EUR'],
    [2, layer],
    [2, 'Ana: pay it'],
  ])
})

test('a page that cannot be read does not keep the others from being read', async () => {
  const read: Reader['readPicture'] = async (filename) => {
    if (filename.endsWith('1')) throw new ValidationError('It takes too long.')
    return { text: 'drawn', words: [], confidence: 0.8, language: null }
  }
  const { stored, ...steps } = stepsFor(['', ''], { read })
  expect(await steps.read()).toMatchObject({ note: { text: 'One page couldn’t be read.' } })
  expect(pagesOf(stored.moments)).toEqual({ 2: 'drawn' })
})

test('pictures of pages with text are looked for until enough are found, and not where nothing reads them', async () => {
  const wantedBy = async (options: Partial<DocumentStepsDeps>) => {
    const requestedCounts: (number | undefined)[] = []
    const pdf: Partial<Pdf> = {
      async *texts(_filename, _signal, from) {
        for (const page of [1, 2, 3]) {
          requestedCounts.push(from?.picturesWanted?.())
          yield [{ page, text: sentence, hasPicture: true }]
        }
      },
      attachments: async () => [],
      async *draw(_filename, { pages }) {
        for (const page of pages) yield { page, filename: `/nowhere/${page}`, width: 10, height: 10 }
      },
    }
    await stepsFor([sentence, sentence, sentence], { pdf: pdf as Pdf, ...options }).read()
    return requestedCounts
  }
  expect(await wantedBy({ limits: { picturedPages: 2 } })).toEqual([2, 1, 0])
  const reader = { model: 'none', reasonOff: () => ({ text: 'There is no reader.', told: [] }) } as unknown as Reader
  expect(await wantedBy({ reader })).toEqual([0, 0, 0])
})

test('without a reader the text that is there is kept, and the step says what is missing', async () => {
  const reader = {
    ...{ engine: 'built-in', model: 'none' },
    reasonOff: () => ({ text: 'There is no reader.', told: [] }),
  } as unknown as Reader
  const { stored, ...steps } = stepsFor([sentence, ''], { reader })
  expect(await steps.read()).toEqual({
    engine: 'built-in',
    model: null,
    note: { text: 'One page without text couldn’t be read. There is no reader.', told: [] },
  })
  expect(pagesOf(stored.moments)).toEqual({ 1: sentence })
})

test('a page with text is found while its many pictures are read', async () => {
  const read: Reader['readPicture'] = async () => {
    if (stored.moments.length === 0) throw new Error('Its text is not there yet.')
    return { text: 'Lighthouse valve', words: [], confidence: 0.9, language: 'en' }
  }
  const layers = Array.from({ length: 5 }, (_, index) => `${sentence} ${index + 1}`)
  const { stored, ...steps } = stepsFor(layers, {
    read,
    pdf: {
      async *texts() {
        yield layers.map((text, index) => ({ page: index + 1, text, hasPicture: true }))
      },
      attachments: async () => [],
      async *draw(_filename: string, { pages }: { pages: number[] }) {
        for (const page of pages) yield { page, filename: `/nowhere/${page}`, width: 10, height: 10 }
      },
    } as unknown as Pdf,
  })
  expect(await steps.read()).toEqual({ engine: 'built-in', model: 'reader' })
  expect(stored.moments.map(({ page, body }) => [page, body])).toEqual(
    layers.flatMap((text, index) => [
      [index + 1, text],
      [index + 1, 'Lighthouse valve'],
    ]),
  )
})

test('what stands in pictures of a document is found in the part that shows them', async () => {
  const papers: Pick<Papers, 'read'> = {
    read: async () => ({
      ...{
        title: null,
        author: null,
        siteName: null,
        pictureUrl: null,
        createdAt: null,
        isCut: false,
        isDamaged: false,
        titles: ['', ''],
      },
      pages: async function* () {
        yield { number: 1, title: null, blocks: [], text: 'The first slide' }
        yield { number: 2, title: null, blocks: [], text: 'The second slide' }
      },
      pictures: [
        { page: 2, filename: '/nowhere/7' },
        { page: 2, filename: '/nowhere/broken' },
      ],
      ...{ picturesFound: 2, attachments: [] },
    }),
  }
  const { stored, read } = stepsFor(['', ''], {
    papers: papers as Papers,
    contentType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    read: async (filename) => {
      if (filename.endsWith('broken')) throw new ValidationError('This picture is damaged.')
      return { text: 'The boiler was serviced', words: [], confidence: 0.9, language: 'en' }
    },
  })
  expect(await read()).toEqual({ engine: 'built-in', model: 'reader' })
  expect(stored.moments.map(({ page, body, confidence }) => [page, body, confidence])).toEqual([
    [1, 'The first slide', null],
    [2, 'The second slide', null],
    [2, 'The boiler was serviced', 0.9],
  ])
})

test('the text of a document full of pictures is found first, and its pictures are read some at a time, each once', async () => {
  const readFiles: string[] = []
  const papers: Pick<Papers, 'read'> = {
    read: async ({ maxPictures = 0 }) => ({
      ...{
        title: null,
        author: null,
        siteName: null,
        pictureUrl: null,
        createdAt: null,
        isCut: false,
        isDamaged: false,
        titles: [''],
      },
      pages: async function* () {
        yield { number: 1, title: null, blocks: [], text: 'The minutes of the meeting' }
      },
      pictures: Array.from({ length: Math.min(40, maxPictures) }, (_, index) => ({
        page: 1,
        filename: `/${index + 1}`,
      })),
      ...{ picturesFound: 40, attachments: [] },
    }),
  }
  const { stored, read } = stepsFor([''], {
    papers: papers as Papers,
    contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    read: async (filename) => {
      readFiles.push(filename)
      if (readFiles.length === 1) {
        expect(stored.moments.map(({ body }) => body)).toEqual(['The minutes of the meeting'])
        throw new Error('The server stops.')
      }
      return { text: `picture ${filename}`, words: [], confidence: 0.9, language: 'en' }
    },
  })
  await expect(read()).rejects.toThrow('The server stops.')
  expect(await read()).toEqual({ engine: 'built-in', model: 'reader', isUnfinished: true })
  expect(stored.moments).toHaveLength(26)
  expect(await read()).toEqual({ engine: 'built-in', model: 'reader' })
  const all = Array.from({ length: 40 }, (_, index) => `/${index + 1}`)
  expect(readFiles).toEqual(['/1', ...all])
  expect(stored.moments.map(({ body }) => body)).toEqual([
    'The minutes of the meeting',
    ...all.map((filename) => `picture ${filename}`),
  ])
})
