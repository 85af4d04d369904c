import { globSync } from 'node:fs'
import { resolve } from 'node:path'

/** Folder of the API, whose parsers are in `src`, and bundled in `dist`. */
export const apiFolder = resolve(import.meta.dirname, '../../..')

/** Modules that run as processes for untrusted files, as paths below the API's folder. */
export const readerSources = (): string[] =>
  globSync('src/{engines,parsers,platform}/**/*-process.ts', { cwd: apiFolder }).filter(
    (path) => !path.endsWith('task-process.ts'),
  )

/**
 * Folder of the compiled parsers of untrusted files. `compile-readers.ts` writes it; sandboxes mount it read-only, since a
 * parser could otherwise change the code that the next one runs.
 */
export const compiledReaders = resolve(apiFolder, '../../node_modules/.cache/mira-readers')

/** Name of a compile cache folder for another user, with whose id it must end. */
export const nameForUser = (folder: string, user: number): string =>
  `${folder.slice(0, folder.lastIndexOf('-') + 1)}${user}`
