/** Programs whose exports hold conversations. */
export const chatImportSources = ['mira', 'chatgpt', 'claude', 'open-webui', 'librechat'] as const
export type ChatImportSource = (typeof chatImportSources)[number]

/** Archives of pictures, films and documents: Google Takeout, what Apple exports, a ZIP file of any. */
export const mediaImportSources = ['takeout', 'apple', 'files'] as const
export type MediaImportSource = (typeof mediaImportSources)[number]

/** Sources of imports from a file. */
export const importFileSources = [...chatImportSources, ...mediaImportSources] as const
export type ImportFileSource = (typeof importFileSources)[number]

/** Servers that are asked for what they keep, by address and key. */
export const serverImportSources = ['immich'] as const
export type ServerImportSource = (typeof serverImportSources)[number]

export const importSources = [...importFileSources, ...serverImportSources] as const
export type ImportSource = (typeof importSources)[number]

export const importStates = ['queued', 'running', 'done', 'failed', 'cancelled', 'undoing'] as const
export type ImportState = (typeof importStates)[number]

/** True for sources that bring items rather than conversations. */
export function bringsMedia(source: ImportSource): source is MediaImportSource | ServerImportSource {
  return ([...mediaImportSources, ...serverImportSources] as readonly string[]).includes(source)
}

/** True for sources fetched from a server rather than read from a file. */
export function isServerSource(source: ImportSource): source is ServerImportSource {
  return (serverImportSources as readonly string[]).includes(source)
}

/** Limits of the server's address and its key. */
export const IMPORT_URL_MAX_CHARACTERS = 200
export const IMPORT_KEY_MAX_CHARACTERS = 500

/** Imports of one person that may wait or run at once. */
export const MAX_OPEN_IMPORTS = 3
/** Maximum number of failures that an import lists by name. */
export const MAX_TOLD_FAILURES = 100
/** Lifetime of a previewed file that hasn't been imported. */
export const IMPORT_PREVIEW_HOURS = 24
