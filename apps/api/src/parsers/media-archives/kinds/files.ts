import { noFacts, type OpenMediaKind } from '../media-archive-kind.ts'

/** A ZIP file of anything: its files, as they are. */
export const openFiles: OpenMediaKind = async () => ({ isPhotosOnly: false, factsOf: async () => noFacts })
