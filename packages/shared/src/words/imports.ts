/** Programs whose exports hold conversations. */
export const chatImportSources = ['mira', 'chatgpt', 'claude', 'open-webui', 'librechat'] as const
export type ChatImportSource = (typeof chatImportSources)[number]

/** What holds pictures, films and documents: Google Takeout, what Apple exports, a ZIP file of any. */
export const mediaImportSources = ['takeout', 'apple', 'files'] as const
export type MediaImportSource = (typeof mediaImportSources)[number]

/** Where things can be brought from as a file. */
export const importFileSources = [...chatImportSources, ...mediaImportSources] as const
export type ImportFileSource = (typeof importFileSources)[number]

export const importSources = [...importFileSources] as const
export type ImportSource = (typeof importSources)[number]

export const importStates = ['queued', 'running', 'done', 'failed', 'cancelled'] as const
export type ImportState = (typeof importStates)[number]

/** Whether items are brought from there, and not conversations. */
export function bringsMedia(source: ImportSource): source is MediaImportSource {
  return (mediaImportSources as readonly string[]).includes(source)
}

/** Imports of one person that may wait or run at once. */
export const MOST_OPEN_IMPORTS = 3
/** What of an import could not be brought is told of so many things by name. */
export const MOST_TOLD_FAILURES = 100
/** How long the file of a preview waits to be imported. */
export const IMPORT_PREVIEW_HOURS = 24
