import { expect, test } from 'vitest'
import { documentSteps, sentence } from '../../../../../test/document-steps.ts'
import { ValidationError } from '../../../../errors.ts'
import type { DocumentReader } from '../../../../parsers/office/document-types.ts'
import type { PdfReader } from '../../../../parsers/pdf/pdf.ts'
import type { DocumentStepsDeps } from './document.ts'
import type { Reader } from './read.ts'

test('looks for images on pages with text until enough are found, and not without a reader', async () => {
  const countsRequestedBy = async (options: Partial<DocumentStepsDeps>) => {
    const requestedCounts: (number | undefined)[] = []
    const pdf: Partial<PdfReader> = {
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
    await documentSteps([sentence, sentence, sentence], { pdf: pdf as PdfReader, ...options }).read()
    return requestedCounts
  }
  expect(await countsRequestedBy({ limits: { picturedPages: 2 } })).toEqual([2, 1, 0])
  const reader = {
    model: 'none',
    reasonOff: () => ({ text: 'There is no reader.', sentences: [] }),
  } as unknown as Reader
  expect(await countsRequestedBy({ reader })).toEqual([0, 0, 0])
})

test('stores the text of a page before its many images are read', async () => {
  const read: Reader['readPicture'] = async () => {
    if (stored.moments.length === 0) throw new Error('Its text isn’t stored yet.')
    return { text: 'Lighthouse valve', words: [], confidence: 0.9, language: 'en' }
  }
  const layers = Array.from({ length: 5 }, (_, index) => `${sentence} ${index + 1}`)
  const { stored, ...steps } = documentSteps(layers, {
    read,
    pdf: {
      async *texts() {
        yield layers.map((text, index) => ({ page: index + 1, text, hasPicture: true }))
      },
      attachments: async () => [],
      async *draw(_filename: string, { pages }: { pages: number[] }) {
        for (const page of pages) yield { page, filename: `/nowhere/${page}`, width: 10, height: 10 }
      },
    } as unknown as PdfReader,
  })
  expect(await steps.read()).toEqual({ engine: 'built-in', model: 'reader' })
  expect(stored.moments.map(({ page, body }) => [page, body])).toEqual(
    layers.flatMap((text, index) => [
      [index + 1, text],
      [index + 1, 'Lighthouse valve'],
    ]),
  )
})

test('stores the text of a document’s images on the page that shows them', async () => {
  const documentReader: Pick<DocumentReader, 'read'> = {
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
  const { stored, read } = documentSteps(['', ''], {
    documentReader: documentReader as DocumentReader,
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

test('stores the text of a document before that of its many images, which are read in turns, each once', async () => {
  const readFiles: string[] = []
  const documentReader: Pick<DocumentReader, 'read'> = {
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
  const { stored, read } = documentSteps([''], {
    documentReader: documentReader as DocumentReader,
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
