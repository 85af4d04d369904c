import pg from 'pg'
import type { Log } from '../../log.ts'
import { connectAlone } from './connect-alone.ts'
import { openEmbedded } from './embedded.ts'
import { type ArchivedTable, emptyDatabase, judgeDatabase, type LoadedSnapshot, loadSnapshot } from './load-snapshot.ts'
import { UnfinishedRestoreError } from './restored-folders.ts'

/** The rows of an archive, and the migrations that had been applied to its tables. */
export interface ArchivedRows {
  migrations: readonly string[]
  tables: readonly ArchivedTable[]
  migrationsDir: string
}

/** A database server to restore an archive to, in one transaction. */
export interface RestoreServer {
  /** Contents before the restore. */
  contents: 'empty' | 'mira' | 'other'
  /** Replaces the contents with an archive's. Until `commit`, others don't see the change, and `close` undoes it. */
  replaceBy(rows: ArchivedRows): Promise<LoadedSnapshot>
  /** @throws UnfinishedRestoreError when its outcome is unknown; anything else when nothing was changed. */
  commit(): Promise<void>
  /** Without a commit, everything stays as it was. */
  close(): Promise<void>
}

/** Creates an embedded database from an archive, in a folder without one. */
export async function fillEmbedded(folder: string, rows: ArchivedRows, log: Log): Promise<LoadedSnapshot> {
  const database = await openEmbedded({ dataDir: folder, isDurable: false, log })
  try {
    const client = await database.connectUnlimited()
    try {
      await client.query('BEGIN')
      const loaded = await loadSnapshot(client, rows)
      await client.query('COMMIT; CHECKPOINT')
      return loaded
    } finally {
      await client.end()
    }
  } finally {
    await database.close()
  }
}

/**
 * Connects to a database server that no Mira server may use at the same time.
 * @throws StartupError when it's unreachable, or a Mira server uses it.
 */
export async function openRestoreServer(databaseUrl: string, log: Log): Promise<RestoreServer> {
  const client = await connectAlone(databaseUrl, 'mira-restore', log)
  try {
    const contents = await judgeDatabase(client)
    return {
      contents,
      async replaceBy(rows) {
        await client.query('BEGIN')
        if (contents === 'mira') await emptyDatabase(client)
        return loadSnapshot(client, rows)
      },
      async commit() {
        await client.query('COMMIT').catch((error: unknown) => {
          // a response by the server, which has changed nothing
          if (error instanceof pg.DatabaseError) throw error
          throw new UnfinishedRestoreError(
            'The connection to the database was lost in the last step of the restore, which may have been completed: ' +
              'check what the database contains, or restore again with --replace.',
            { cause: error },
          )
        })
      },
      close: () => client.end().catch(() => {}),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}
