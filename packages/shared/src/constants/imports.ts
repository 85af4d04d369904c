/** Programs whose exports hold conversations. */
export const chatImportSources = ['mira', 'chatgpt', 'claude', 'open-webui', 'librechat'] as const
export type ChatImportSource = (typeof chatImportSources)[number]

/** Archives of pictures, films and documents: Google Takeout, what Apple exports, a ZIP file of any. */
export const mediaImportSources = ['takeout', 'apple', 'files'] as const
export type MediaImportSource = (typeof mediaImportSources)[number]

/** Where things can be brought from as a file. */
export const importFileSources = [...chatImportSources, ...mediaImportSources] as const
export type ImportFileSource = (typeof importFileSources)[number]

/** Servers that are asked for what they keep, by address and key. */
export const serverImportSources = ['immich'] as const
export type ServerImportSource = (typeof serverImportSources)[number]

export const importSources = [...importFileSources, ...serverImportSources] as const
export type ImportSource = (typeof importSources)[number]

export const importStates = ['queued', 'running', 'done', 'failed', 'cancelled', 'undoing'] as const
export type ImportState = (typeof importStates)[number]

/** Whether items are brought from there, and not conversations. */
export function bringsMedia(source: ImportSource): source is MediaImportSource | ServerImportSource {
  return ([...mediaImportSources, ...serverImportSources] as readonly string[]).includes(source)
}

/** Whether a server is asked for it, instead of a file being read. */
export function isServerSource(source: ImportSource): source is ServerImportSource {
  return (serverImportSources as readonly string[]).includes(source)
}

/** Of the address of a server, and of its key. */
export const IMPORT_URL_MAX_CHARACTERS = 200
export const IMPORT_KEY_MAX_CHARACTERS = 500

/** Imports of one person that may wait or run at once. */
export const MOST_OPEN_IMPORTS = 3
/** What of an import could not be brought is told of so many things by name. */
export const MOST_TOLD_FAILURES = 100
/** How long the file of a preview waits to be imported. */
export const IMPORT_PREVIEW_HOURS = 24
