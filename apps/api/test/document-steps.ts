import type { Results } from '../src/modules/library/pipeline/results.ts'
import type { NewMoment, StepContext } from '../src/modules/library/pipeline/step.ts'
import { createDocumentSteps, type DocumentStepsDeps } from '../src/modules/library/pipeline/steps/document.ts'
import type { Reader } from '../src/modules/library/pipeline/steps/read.ts'
import type { PictureProcesses } from '../src/parsers/image/picture-processes.ts'
import type { DocumentReader } from '../src/parsers/office/document-types.ts'
import type { PdfReader } from '../src/parsers/pdf/pdf.ts'
import type { WebFetcher } from '../src/platform/net/web-fetcher.ts'

/** Steps of a document whose pages have these text layers; OCR reads rendered pages as "drawn 1", "drawn 2", … */
export function documentSteps(
  layers: string[],
  options: Partial<DocumentStepsDeps> & { read?: Reader['readPicture']; contentType?: string } = {},
) {
  const stored = {
    ...{ moments: [] as NewMoment[], parts: [] as number[], drawings: [] as number[] },
    ...{ checkpoint: null as unknown, findings: [] as NewMoment[] },
  }
  const pdf: PdfReader = {
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
    'replaceMoments' | 'replaceParts' | 'checkpoint' | 'storeCheckpoint' | 'keepMoments' | 'earlierFindings'
  > = {
    checkpoint: async () => structuredClone(stored.checkpoint),
    storeCheckpoint: async (_item, checkpoint) => {
      stored.checkpoint = structuredClone(checkpoint)
    },
    keepMoments: async (_item, checkpoint, { moments, replacedPages }) => {
      stored.checkpoint = structuredClone(checkpoint)
      stored.findings.push(...structuredClone(moments))
      const replaced = new Set(replacedPages)
      stored.moments = [...stored.moments.filter(({ page }) => !replaced.has(page ?? null)), ...moments]
    },
    earlierFindings: async () => [...stored.findings],
    replaceMoments: async (_item, _kind, moments) => {
      stored.moments = moments
      return async () => {}
    },
    replaceParts: async (_item, _kind, parts, { after = 0, hasMore = false } = {}) => {
      const numbers: number[] = []
      for await (const { number } of parts) numbers.push(number)
      const last = Math.max(after, ...numbers)
      const keptNumbers = stored.parts.filter((part) => !numbers.includes(part) && (hasMore || part <= last))
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
    documentReader: {} as DocumentReader,
    subtitleFiles: { wordsOf: () => null, enqueueTranscriptions: async () => {} },
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

export const sentence = 'This page has a text layer of its own.'
/** Texts by page. */
export const pagesOf = (moments: NewMoment[]) =>
  Object.fromEntries([...moments].sort((a, b) => (a.page ?? 0) - (b.page ?? 0)).map(({ page, body }) => [page, body]))
