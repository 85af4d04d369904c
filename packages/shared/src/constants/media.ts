export const mediaTypes = ['image', 'video', 'audio', 'document'] as const
export type MediaType = (typeof mediaTypes)[number]

export const processingStatuses = ['pending', 'processing', 'completed', 'failed'] as const
export type ProcessingStatus = (typeof processingStatuses)[number]

/** Processing steps. An item's type decides which of them apply, and in which order. */
export const processingSteps = [
  /** Reads size, duration, pages and tags, and makes the thumbnail. Every other step needs it. */
  'inspect',
  'frames',
  'pages',
  /** Extracts text, by OCR from pictures. */
  'read',
  'caption',
  'transcribe',
  /** Creates a copy that every browser can play. */
  'playback',
  /** Computes vectors of texts, for searches by meaning. */
  'embed',
  /** Computes vectors of pictures, for searches by appearance. */
  'look',
] as const
export type ProcessingStepName = (typeof processingSteps)[number]

/** Sources of items that weren't uploaded as files: notes written in Mira, saved web pages. */
export const mediaSourceKinds = ['note', 'page'] as const
export type MediaSourceKind = (typeof mediaSourceKinds)[number]

/** Facts of an item that the user can correct. */
export const correctedFacts = ['taken_at', 'place'] as const
export type CorrectedFact = (typeof correctedFacts)[number]

export const mediaSorts = ['newest', 'oldest', 'taken', 'added', 'name', 'largest', 'longest'] as const
export type MediaSort = (typeof mediaSorts)[number]

/** Size of a picture: as uploaded, for a screen (in a format every browser shows), or for a list. */
export const pictureSizes = ['original', 'preview', 'thumbnail'] as const
export type PictureSize = (typeof pictureSizes)[number]

/** Kinds of parts of a document: a PDF has pages. */
export const pageKinds = ['page', 'sheet', 'slide', 'chapter', 'message', 'note'] as const
export type PageKind = (typeof pageKinds)[number]

/** Header fields of a mail or a note. */
export const mailFields = ['from', 'to', 'cc', 'date', 'created', 'tags', 'attachments'] as const
export type MailField = (typeof mailFields)[number]

/** A block of a document: plain text only, never markup. */
export type DocumentBlock =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'text' | 'item'; text: string }
  | { kind: 'rows'; rows: string[][] }
  | { kind: 'fields'; fields: [MailField, string][] }

/** A sheet, slide, chapter or mail; a document without such parts has one page. */
export interface DocumentPage {
  /** From 1. */
  number: number
  title: string | null
  blocks: DocumentBlock[]
}

/** JSON preview of a document, displayed in place of its file. */
export interface DocumentPreview {
  pages: DocumentPage[]
  /** True when the document is longer than the preview. */
  is_cut: boolean
}

/** Programs whose exports contain conversations. */
export const chatImportSources = ['mira', 'chatgpt', 'claude', 'open-webui', 'librechat'] as const
export type ChatImportSource = (typeof chatImportSources)[number]

/** Archives of pictures, videos and documents: Google Takeout, an Apple export, any other ZIP file. */
export const mediaImportSources = ['takeout', 'apple', 'files'] as const
export type MediaImportSource = (typeof mediaImportSources)[number]

/** Sources of imports from a file. */
export const importFileSources = [...chatImportSources, ...mediaImportSources] as const
export type ImportFileSource = (typeof importFileSources)[number]

/** Servers to import from, by address and API key. */
export const serverImportSources = ['immich'] as const
export type ServerImportSource = (typeof serverImportSources)[number]

export const importSources = [...importFileSources, ...serverImportSources] as const
export type ImportSource = (typeof importSources)[number]

export const importStates = ['queued', 'running', 'done', 'failed', 'cancelled', 'undoing'] as const
export type ImportState = (typeof importStates)[number]

/** True for sources of items rather than conversations. */
export function importsMedia(source: ImportSource): source is MediaImportSource | ServerImportSource {
  return ([...mediaImportSources, ...serverImportSources] as readonly string[]).includes(source)
}

/** True for sources fetched from a server rather than read from a file. */
export function isServerSource(source: ImportSource): source is ServerImportSource {
  return (serverImportSources as readonly string[]).includes(source)
}

/** Limits of the server's address and its key. */
export const IMPORT_URL_MAX_CHARACTERS = 200
export const IMPORT_KEY_MAX_CHARACTERS = 500

/** Waiting and running imports per user. */
export const MAX_OPEN_IMPORTS = 3
/** Failures that an import lists by name. */
export const MAX_LISTED_FAILURES = 100
/** Lifetime of a previewed file that hasn't been imported. */
export const IMPORT_PREVIEW_HOURS = 24
