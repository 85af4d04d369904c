import type { Common } from '../../../common.ts'
import type { Ocr } from '../../../parsers/ocr/ocr.ts'
import { createDocumentReader } from '../../../parsers/office/document-reader.ts'
import type { DocumentReader } from '../../../parsers/office/document-types.ts'
import type { PdfReader } from '../../../parsers/pdf/pdf.ts'
import { createPdfReader } from '../../../parsers/pdf/pdf-reader.ts'
import { formatOfFile } from '../../../parsers/sniff/sniff.ts'
import type { Av } from '../../../parsers/video/av.ts'
import { createAv } from '../../../parsers/video/create-av.ts'
import type { WithTempFolder } from '../../../platform/storage/scratch.ts'
import { createProcessingService, type ItemNotifications, type ProcessingService } from './processing.service.ts'
import { createReprocessing } from './reprocessing.ts'
import { createResultsStore } from './results.store.ts'
import { createResults, type Results } from './results.ts'
import { createResumingService, type ResumingService } from './resuming.service.ts'
import { withSandboxNote } from './run.ts'
import type { Steps } from './step.ts'
import { createCaptions } from './steps/caption.ts'
import { createDocumentSteps } from './steps/document.ts'
import { createEmbedSteps, type ItemEmbedder } from './steps/embed.ts'
import { createImageSteps } from './steps/image.ts'
import { createMotionsStore } from './steps/motions.store.ts'
import { createMotions } from './steps/motions.ts'
import { createReader } from './steps/read.ts'
import { createAudioSteps } from './steps/sound-steps.ts'
import { createSubtitleFiles, createSubtitleFilesStore } from './steps/subtitle-files.ts'
import { createVideoSteps } from './steps/video.ts'
import { createProcessingStore } from './store.ts'

interface ProcessingTools extends Common {
  ocr: Ocr
  embedding: ItemEmbedder
  notifications: ItemNotifications
}

/** Parsers of videos and documents, and what they need. */
export interface FileReaders {
  av: Av
  pdf: PdfReader
  documentReader: DocumentReader
  withTempFolder: WithTempFolder
  formatOf: typeof formatOfFile
}

export interface Processing {
  processing: ProcessingService
  resuming: ResumingService
  /** Parsers that draw frames and pages. */
  readers: FileReaders
  readPart: Results['readPart']
  close(): Promise<void>
}

/** Builds the processing of items. */
export async function buildProcessing(tools: ProcessingTools): Promise<Processing> {
  const { config, log, database, sandboxing, ai, pictures, withTempFolder } = tools
  const { prisma } = database
  const sandbox = {
    sandboxing,
    warn: (fields: Record<string, unknown>, sentence: string) => log.warn(fields, sentence),
  }
  const [av, pdf, documentReader] = [createAv(sandbox), createPdfReader(sandbox), createDocumentReader(sandbox)]
  const store = createProcessingStore(database)
  const results = createResults({ ...tools, store: createResultsStore(database) })
  const reprocessing = createReprocessing({ ...tools, prisma, store })
  const deps = {
    ...tools,
    results,
    av,
    pdf,
    documentReader,
    reader: createReader(tools.ocr),
    captions: createCaptions({ ai, images: pictures.images }),
    embedSteps: createEmbedSteps({ results, embedding: tools.embedding }),
    motions: createMotions({ ...tools, results, av, store: createMotionsStore(database) }),
    subtitleFiles: createSubtitleFiles({ ...tools, reprocessing, store: createSubtitleFilesStore(database) }),
  }
  const steps: Steps = {
    image: createImageSteps(deps),
    video: createVideoSteps(deps),
    audio: createAudioSteps(deps),
    document: createDocumentSteps(deps),
  }
  const processing = createProcessingService({
    ...tools,
    prisma,
    store,
    results,
    reprocessing,
    steps: withSandboxNote(steps, () => sandboxing.check()?.engine !== 'none'),
    concurrency: config.ingestConcurrency,
  })
  const resuming = createResumingService({ ...tools, prisma, store, processing })
  return {
    processing,
    resuming,
    readPart: results.readPart,
    readers: { av, pdf, documentReader, withTempFolder, formatOf: formatOfFile },
    close: async () => {
      await resuming.close()
      await processing.close()
      await pdf.close()
      await documentReader.close()
      await av.close()
    },
  }
}
