import { resolve } from 'node:path'

/**
 * Where the compiled code of what reads strangers' files lies: `compile-readers.ts` makes it, and a cage shows it without
 * letting anybody write there, as what one of them could change the next one would run.
 */
export const compiledReaders = resolve(import.meta.dirname, '../../../../../node_modules/.cache/mira-readers')
