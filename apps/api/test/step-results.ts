import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createResultsStore } from '../src/modules/library/pipeline/results.store.ts'
import { createResults } from '../src/modules/library/pipeline/results.ts'
import type { StepItem } from '../src/modules/library/pipeline/step.ts'
import { createProcessingStore } from '../src/modules/library/pipeline/store.ts'
import { createUnreferencedFiles } from '../src/platform/database/unreferenced-files.ts'
import { createDiskFiles } from '../src/platform/storage/disk.ts'
import { openTestDatabase, silentLog } from './database-template.ts'
import { insertMediaItem, insertUser } from './factories.ts'

const MAX_ATTEMPTS = 4

/** The `Results` service with a database, a folder and a user of its own. */
export type TestResults = Awaited<ReturnType<typeof openResults>>

export async function openResults() {
  const database = await openTestDatabase()
  const directory = mkdtempSync(join(tmpdir(), 'mira-results-'))
  const files = await createDiskFiles({ directory })
  const unreferencedFiles = createUnreferencedFiles(database)
  const store = createResultsStore(database)
  const userId = (await insertUser(database)).id
  return {
    database,
    files,
    unreferencedFiles,
    userId,
    results: createResults({ store, files, unreferencedFiles, log: silentLog }),
    /** Stores an item whose first step is running. */
    async newItem(): Promise<StepItem> {
      const { id } = await insertMediaItem(database, userId, { processingStatus: 'pending' })
      const state = await createProcessingStore(database).claim(id, MAX_ATTEMPTS)
      if (!state?.startedRun) throw new Error('the item couldn’t be claimed')
      return { ...state.item, run: state.startedRun }
    },
    async close() {
      await database.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A frame as a step passes it to `results.replaceParts`. */
export const frame = (number: number, content = `part ${number}`) => ({
  ...{ kind: 'frame' as const, number, startSeconds: number * 2 },
  thumbnail: { data: Buffer.from(content), width: 4, height: 3 },
})
