import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { documentSteps, pagesOf, sentence } from '../../../../../test/document-steps.ts'
import { ValidationError } from '../../../../errors.ts'
import type { PdfReader } from '../../../../parsers/pdf/pdf.ts'
import type { Results } from '../results.ts'
import type { NewMoment, ProcessedItem, StepContext } from '../step.ts'
import { createDocumentSteps, type DocumentStepsDeps } from './document.ts'
import type { Reader } from './read.ts'

test('reads only pages without text with OCR, and keeps their little text when OCR finds none', async () => {
  const read: Reader['readPicture'] = async (filename) => ({
    text: filename.endsWith('2') ? 'drawn 2' : '',
    ...{ words: [], confidence: null, language: null },
  })
  const { stored, ...steps } = documentSteps([sentence, '', 'p. 3'], { read })
  expect(await steps.read()).toEqual({ engine: 'built-in', model: 'reader' })
  expect(pagesOf(stored.moments)).toEqual({ 1: sentence, 2: 'drawn 2', 3: 'p. 3' })
})

test('reads and renders only some of very many pages, and notes that', async () => {
  const { stored, ...steps } = documentSteps(['', '', '', ''], { limits: { readPages: 2, drawnPages: 3 } })
  expect(await steps.read()).toMatchObject({ note: { text: 'The first 2 of the 4 pages without text were read.' } })
  expect(pagesOf(stored.moments)).toEqual({ 1: 'drawn 1', 2: 'drawn 2' })
  expect(await steps.draw()).toMatchObject({ note: { text: 'The first 3 of 4 pages have a thumbnail.' } })
  expect(stored.parts).toEqual([1, 2, 3])
})

test('reads very many scanned pages in turns, each once, and stores each turn at once', async () => {
  const readFiles: string[] = []
  const read: Reader['readPicture'] = async (filename) => {
    readFiles.push(filename)
    if (filename.endsWith('/4')) throw new ValidationError('It takes too long.')
    return { text: `drawn ${filename.split('/').at(-1)}`, words: [], confidence: 0.8, language: null }
  }
  const layers = ['', '', sentence, '', '', '']
  const { stored, ...steps } = documentSteps(layers, { read, limits: { pagesInTurn: 2 } })
  // From an earlier run.
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

test('renders very many pages in turns, each once, and all have a thumbnail after the last turn', async () => {
  const { stored, ...steps } = documentSteps(['', '', '', '', ''], { limits: { drawnInTurn: 2 } })
  // From an earlier run that rendered more pages.
  stored.parts = [1, 4, 9]
  const unfinished = { engine: null, model: null, isUnfinished: true }
  expect(await steps.draw()).toEqual(unfinished)
  // A server that dies in a turn repeats that turn, and none before it.
  const checkpoint = stored.checkpoint
  expect(await steps.draw()).toEqual(unfinished)
  stored.checkpoint = checkpoint
  expect(await steps.draw()).toEqual(unfinished)
  expect(await steps.draw()).toEqual({ engine: null, model: null })
  expect(stored.drawings).toEqual([1, 2, 3, 4, 3, 4, 5])
  expect(stored.parts).toEqual([1, 2, 3, 4, 5])
})

test('pages of earlier turns keep their thumbnail when those of the last turn are damaged', async () => {
  const { stored, ...steps } = documentSteps(['', '', ''], {
    limits: { drawnInTurn: 2 },
    pdf: {
      async *draw(_filename: string, { pages: [page = 0] }: { pages: number[] }) {
        if (page === 3) throw new ValidationError('This page is damaged.')
        yield { page, filename: `/nowhere/${page}`, width: 10, height: 10 }
      },
    } as unknown as PdfReader,
  })
  stored.parts = [1, 3, 4]
  expect(await steps.draw()).toMatchObject({ isUnfinished: true })
  expect(await steps.draw()).toEqual({ engine: null, model: null })
  expect(stored.parts).toEqual([1, 2])
})

test('reads the text layers of very many pages in turns, each once, however many pages are scanned', async () => {
  const layers = [sentence, 'p. 2', '', sentence, 'p. 5', sentence, '']
  const { stored, ...steps } = documentSteps(layers, { limits: { textPagesInTurn: 3, pagesInTurn: 3 } })
  const unfinished = { engine: 'built-in', model: null as string | null, isUnfinished: true }
  // Four pages of text; the others and the first three scans; the last scan.
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

test('doesn’t read the text layers again after the server stops at the first of many scans', async () => {
  let textReads = 0
  let ocrCalls = 0
  const read: Reader['readPicture'] = async () => {
    if (++ocrCalls === 2) throw new Error('The server stops.')
    return { text: 'drawn', words: [], confidence: 0.8, language: null }
  }
  const { stored, ...steps } = documentSteps([], {
    read,
    limits: { pagesInTurn: 2 },
    pdf: {
      async *texts() {
        textReads++
        yield [1, 2, 3].map((page) => ({ page, text: '' }))
      },
      attachments: async () => [],
      async *draw(_filename: string, { pages }: { pages: number[] }) {
        for (const page of pages) yield { page, filename: `/nowhere/${page}`, width: 10, height: 10 }
      },
    } as unknown as PdfReader,
  })
  await expect(steps.read()).rejects.toThrow('The server stops.')
  expect(await steps.read()).toHaveProperty('isUnfinished')
  await steps.read()
  expect(textReads).toBe(1)
  expect(pagesOf(stored.moments)).toEqual({ 1: 'drawn', 2: 'drawn', 3: 'drawn' })
})

test('reads only the beginning of a huge document, and notes that', async () => {
  const layers = Array.from({ length: 4 }, () => sentence)
  const long = documentSteps(layers, { limits: { characters: 2 * sentence.length } })
  const many = documentSteps(layers, { limits: { textPages: 2 } })
  for (const { stored, ...steps } of [long, many]) {
    expect(await steps.read()).toMatchObject({
      note: { text: 'It’s very long: only the text before page 3 can be searched.' },
    })
    expect(pagesOf(stored.moments)).toEqual({ 1: sentence, 2: sentence })
  }
})

test('replaces a garbled text layer by OCR unless its confidence is low, and keeps annotations', async () => {
  const layer = 'Boovbm!sfqpsu!pg!uif!mjhiuipvtf!tpdjfuz'
  const pages = [1, 2].map((page) => ({ page, text: layer, notes: 'Ana: pay it', isGarbled: true as const }))
  const document = documentSteps(['', ''], {
    pdf: {
      inspect: async () => ({ pageCount: 2, title: null, author: null, createdAt: null }),
      async *texts() {
        yield pages
      },
      attachments: async () => [{ name: 'factur-x.xml', text: 'Total: 5 EUR' }],
      async *draw(_filename: string, { pages }: { pages: number[] }) {
        for (const page of pages) yield { page, filename: `/nowhere/${page}`, width: 10, height: 10 }
      },
    } as unknown as PdfReader,
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

test('reads the other pages when one can’t be read', async () => {
  const read: Reader['readPicture'] = async (filename) => {
    if (filename.endsWith('1')) throw new ValidationError('It takes too long.')
    return { text: 'drawn', words: [], confidence: 0.8, language: null }
  }
  const { stored, ...steps } = documentSteps(['', ''], { read })
  expect(await steps.read()).toMatchObject({ note: { text: 'One page couldn’t be read.' } })
  expect(pagesOf(stored.moments)).toEqual({ 2: 'drawn' })
})

test('keeps the existing text without a reader, and notes what is missing', async () => {
  const reader = {
    ...{ engine: 'built-in', model: 'none' },
    reasonOff: () => ({ text: 'There is no reader.', sentences: [] }),
  } as unknown as Reader
  const { stored, ...steps } = documentSteps([sentence, ''], { reader })
  expect(await steps.read()).toEqual({
    engine: 'built-in',
    model: null,
    note: { text: 'One page without text couldn’t be read. There is no reader.', sentences: [] },
  })
  expect(pagesOf(stored.moments)).toEqual({ 1: sentence })
})

test('shows the events of a calendar that starts after a page of blank lines', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mira-calendar-'))
  const filename = join(folder, 'file')
  await writeFile(filename, `${'\n'.repeat(64 * 1024 - 6)}BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Figs\nEND:VEVENT\n`)
  let shownText = ''
  const results = {
    setCopy: async (_item, _kind, { content }) => {
      for await (const chunk of content as AsyncIterable<Buffer>) shownText += chunk.toString()
      return async () => {}
    },
  } as Partial<Results> as Results
  const steps = createDocumentSteps({ results, pictures: {}, embedSteps: {} } as DocumentStepsDeps)
  const item = { contentType: 'text/calendar' } as ProcessedItem
  await steps.inspect?.({ item, filename, signal: new AbortController().signal } as StepContext)
  await rm(folder, { recursive: true })
  expect(shownText).toBe('Figs')
})

test('reads an address book to its end even when its photos exceed the character limit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mira-contacts-'))
  const filename = join(folder, 'file')
  const picture = `PHOTO;ENCODING=b:${'A'.repeat(1_500_000)}`
  const cards = ['Ada', 'Bo', 'Cy', 'Di'].map((name) => `BEGIN:VCARD\n${picture}\nFN:${name}\nEND:VCARD\n`)
  await writeFile(filename, cards.join(''))
  let moments: NewMoment[] = []
  const results = {
    replaceMoments: async (_item, _kind, newMoments) => {
      moments = newMoments
      return async () => {}
    },
  } as Partial<Results> as Results
  const subtitleFiles = { wordsOf: () => null } as Partial<DocumentStepsDeps['subtitleFiles']>
  const steps = createDocumentSteps({ results, subtitleFiles, pictures: {}, embedSteps: {} } as DocumentStepsDeps)
  const item = { contentType: 'text/plain' } as ProcessedItem
  expect(
    await steps.read?.({ item, filename, signal: new AbortController().signal } as StepContext),
  ).not.toHaveProperty('note')
  await rm(folder, { recursive: true })
  expect(moments.map(({ body }) => body)).toEqual(['Ada\n\nBo\n\nCy\n\nDi'])
})

test('reads a note that starts like a PDF as text', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mira-note-'))
  const filename = join(folder, 'note')
  await writeFile(filename, '%PDF-1.7 is a magic number.')
  let bodies: string[] = []
  const results = {
    replaceMoments: async (_item, _kind, moments) => {
      bodies = moments.map(({ body }) => body)
      return async () => {}
    },
  } as Partial<Results> as Results
  const subtitleFiles = { wordsOf: () => null } as Partial<DocumentStepsDeps['subtitleFiles']>
  const steps = createDocumentSteps({ results, subtitleFiles, pictures: {}, embedSteps: {} } as DocumentStepsDeps)
  const item = { contentType: 'text/plain' } as ProcessedItem
  await steps.read?.({ item, filename, format: 'pdf', signal: new AbortController().signal } as StepContext)
  await rm(folder, { recursive: true })
  expect(bodies).toEqual(['%PDF-1.7 is a magic number.'])
})
