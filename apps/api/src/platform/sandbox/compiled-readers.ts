import { resolve } from 'node:path'

/**
 * Folder of the compiled parsers of untrusted files. `compile-readers.ts` writes it; cages mount it read-only, since a
 * parser could otherwise change the code that the next one runs.
 */
export const compiledReaders = resolve(import.meta.dirname, '../../../../../node_modules/.cache/mira-readers')
