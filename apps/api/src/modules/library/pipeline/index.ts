import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asLanguage } from '@mira/shared'
import type { Logger } from 'pino'
import { type Config, VERSION } from '../../../config.ts'
import type { Ai } from '../../../engines/ai.ts'
import { guessLanguage, searchConfiguration } from '../../../offline/language/language.ts'
import { packPeaks, peaksOf } from '../../../parsers/audio/wav.ts'
import type { PictureProcesses } from '../../../parsers/image/picture-processes.ts'
import type { Ocr } from '../../../parsers/ocr/ocr.ts'
import { createPaperReader } from '../../../parsers/office/paper-reader.ts'
import type { Papers } from '../../../parsers/office/papers.ts'
import type { Pdf } from '../../../parsers/pdf/pdf.ts'
import { createPdfReader } from '../../../parsers/pdf/pdf-reader.ts'
import { sniffFile } from '../../../parsers/sniff/sniff.ts'
import { texts } from '../../../parsers/text-decoder.ts'
import type { Av } from '../../../parsers/video/av.ts'
import { createAv } from '../../../parsers/video/create-av.ts'
import { cuesOfText, subtitlesFor } from '../../../parsers/video/timed-text.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { LooseFiles } from '../../../platform/database/loose-files.ts'
import { newId } from '../../../platform/database/new-id.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { createSafeFetcher } from '../../../platform/net/safe-fetcher.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { Caging } from '../../../platform/sandbox/caging.ts'
import type { Files } from '../../../platform/storage/files.ts'
import { createScratch, type UseScratch } from '../../../platform/storage/scratch.ts'
import type { EmbeddingOutcome, EmbeddingService } from '../../search/indexing/embedding.service.ts'
import { createMotionsStore } from './motions.store.ts'
import { createProcessingService, type NotifyOfItem, type ProcessingService } from './processing.service.ts'
import { createProcessingStore } from './processing.store.ts'
import { lacking, type Results, type Step, type StepContext, type Steps, stepUnless } from './processing.ts'
import { createResultsStore } from './results.store.ts'
import { createResults } from './results.ts'
import { createResumingService, type ResumingService } from './resuming.service.ts'
import { withSandboxNote } from './sandbox-note.ts'
import { PICTURES_IN_TURN, TEXTS_IN_TURN } from './step-size.ts'
import { createAudioSteps } from './steps/audio.ts'
import { createCaptions } from './steps/caption.ts'
import { createDocumentSteps } from './steps/document.ts'
import { createImageSteps } from './steps/image.ts'
import { createMotions } from './steps/motions.ts'
import { createReader } from './steps/read.ts'
import { createSubtitleFiles } from './steps/subtitle-files.ts'
import { createVideoSteps } from './steps/video.ts'
import { createSubtitleFilesStore } from './subtitle-files.store.ts'

export interface ProcessingTools {
  config: Pick<Config, 'dataDir' | 'ingestConcurrency' | 'web'>
  log: Logger
  database: Database
  queue: Queue
  files: Files
  caging: Caging
  pictures: PictureProcesses
  looseFiles: LooseFiles
  ai: Ai
  ocr: Ocr
  embedding: EmbeddingService
  events: Events
  /** Keeps what happened to an item behind the person's bell. */
  notifyIn: NotifyOfItem
}

/** Parsers of films and documents, and their processes. */
export interface FileReaders {
  av: Av
  pdf: Pdf
  papers: Papers
  useScratch: UseScratch
  /** Format of a file by its content, as an extension without the dot; null when unknown. */
  formatOf(filename: string): Promise<string | null>
}

/** Processing of items, and its cancellation. */
export interface Processing {
  processing: ProcessingService
  resuming: ResumingService
  /** Readers that make pictures of frames and pages. */
  readers: FileReaders
  /** The picture of a part as it is shown in lists. */
  readPart: Results['readPart']
  close(): Promise<void>
}

/** The picture that a page of the web shows as its own. */
const PAGE_PICTURE = {
  types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'],
  maxBytes: 10 * 1024 * 1024,
  timeoutMs: 10_000,
}

/** Builds what is done with items that people add. */
export async function buildProcessing(tools: ProcessingTools): Promise<Processing> {
  const { config, log, database, queue, files, caging, looseFiles, ai, ocr, embedding, events } = tools
  const { images, readNewPicture, readableCopy, thumbhashOf, contrastOf } = tools.pictures
  const scratch = await createScratch({
    directory: join(config.dataDir, 'scratch'),
    isOnlyProcess: database.engine === 'embedded',
  })
  const results = createResults({
    store: createResultsStore(database),
    files,
    looseFiles,
    guessLanguage,
    asLanguage,
    searchConfiguration,
    newId,
    log,
  })
  const pdf = createPdfReader({ caging, warn: (fields, sentence) => log.warn(fields, sentence) })
  const papers = createPaperReader({ caging, warn: (fields, sentence) => log.warn(fields, sentence) })
  const reader = createReader(ocr)
  const captions = createCaptions({ captioner: ai.caption, reasonOff: () => ai.reasonOff('caption'), images })
  /** Splits the embedding of an item into turns. Stored vectors are kept, so the next turn needs no other state. */
  const inTurns =
    (make: (context: StepContext) => Promise<EmbeddingOutcome>): Step =>
    async (context) => {
      const outcome = await make(context)
      if (outcome.isUnfinished) await results.keepCheckpoint(context.item, {})
      return outcome
    }
  const embed = stepUnless(
    () => lacking('embedding', embedding.reasonOff('text')),
    inTurns(({ item, signal, progress }) => embedding.embedItem(item, signal, { progress, most: TEXTS_IN_TURN })),
  )
  const look = stepUnless(
    () => lacking('image_embedding', embedding.reasonOff('image')),
    inTurns(({ item, signal, progress }) =>
      embedding.lookItem(item, results.readPart, signal, { progress, most: PICTURES_IN_TURN }),
    ),
  )
  const av = createAv({ caging, warn: (fields, sentence) => log.warn(fields, sentence) })
  const fetcher = createSafeFetcher({
    allowedHosts: config.web.allowedHosts,
    userAgent: `Mira/${VERSION} (personal assistant)`,
  })
  const fetchPicture = async (url: string, filename: string, signal: AbortSignal) => {
    const fetched = await fetcher.get(url, { ...PAGE_PICTURE, signal })
    if (fetched.isOk) await writeFile(filename, fetched.body)
    return fetched.isOk
  }
  const formatOf = async (filename: string) => {
    const sniffed = await sniffFile(filename)
    return sniffed.mediaType === null ? null : sniffed.format
  }
  const motions = createMotions({
    results,
    av,
    files,
    formatOf,
    publish: events.publish,
    store: createMotionsStore(database),
  })
  const subtitleFiles = createSubtitleFiles({
    store: createSubtitleFilesStore(database),
    files,
    texts,
    cuesOfText,
    subtitlesFor,
    hearAgain: (userId, itemId) => processing.reprocess(userId, itemId, ['transcribe']),
  })
  const speech = {
    av,
    peaksOf,
    transcriber: ai.transcription,
    reasonOff: () => ai.reasonOff('transcription'),
    subtitlesBeside: subtitleFiles.beside,
  }
  const steps: Steps = {
    image: createImageSteps({ results, readNewPicture, readableCopy, motions, reader, captions, embed, look }),
    video: createVideoSteps({
      results,
      images,
      thumbhashOf,
      contrastOf,
      motions,
      reader,
      captions,
      embed,
      look,
      ...speech,
    }),
    audio: createAudioSteps({ results, images, thumbhashOf, packPeaks, embed, ...speech }),
    document: createDocumentSteps({
      results,
      images,
      thumbhashOf,
      pdf,
      papers,
      texts,
      tiffs: tools.pictures.tiffs,
      subtitleFiles,
      reader,
      embed,
      fetchPicture,
    }),
  }
  const processingStore = createProcessingStore(database)
  const processing = createProcessingService({
    prisma: database.prisma,
    store: processingStore,
    results,
    steps: withSandboxNote(steps, () => caging.check()?.engine !== 'none'),
    files,
    log,
    useScratch: scratch.useScratch,
    formatOf,
    enqueue: queue.enqueue,
    concurrency: config.ingestConcurrency,
    publish: events.publish,
    notifyIn: tools.notifyIn,
  })
  const resuming = createResumingService({
    prisma: database.prisma,
    store: processingStore,
    processing,
    log,
    hasEngine: (capability) => ai.checks()[capability].state === 'ok',
    wantEngine: ai.want,
  })
  return {
    processing,
    resuming,
    readPart: results.readPart,
    readers: { av, pdf, papers, useScratch: scratch.useScratch, formatOf },
    close: async () => {
      await resuming.close()
      await processing.close()
      await pdf.close()
      await papers.close()
      await av.close()
      await fetcher.close()
      await scratch.close()
    },
  }
}
