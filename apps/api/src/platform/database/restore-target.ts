import pg from 'pg'
import type { Log } from '../../log.ts'
import { connectAlone } from './connect-alone.ts'
import { openEmbedded } from './embedded.ts'
import { type ArchivedTable, emptyDatabase, judgeDatabase, type LoadedSnapshot, loadSnapshot } from './load-snapshot.ts'
import { UnfinishedRestoreError } from './restored-folders.ts'

/** The rows of an archive, and the migrations that had made their tables. */
export interface ArchivedRows {
  migrations: readonly string[]
  tables: readonly ArchivedTable[]
  migrationsDir: string
}

/** A database server that an archive is restored to, in one transaction. */
export interface RestoreServer {
  /** Previous contents. */
  holds: 'empty' | 'mira' | 'other'
  /** Replaces what it holds by an archive; nothing is seen of it, nor kept, before `commit`. */
  replaceBy(rows: ArchivedRows): Promise<LoadedSnapshot>
  /** @throws UnfinishedRestoreError when its outcome is unknown; anything else when nothing was changed. */
  commit(): Promise<void>
  /** Without a commit before, everything is as it was. */
  close(): Promise<void>
}

/** Makes an embedded database of an archive, in a folder that holds none. */
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
 * Connects to a server as the only one that uses its database.
 * @throws StartupError when it cannot be reached, or a server of Mira uses it.
 */
export async function openRestoreServer(databaseUrl: string, log: Log): Promise<RestoreServer> {
  const client = await connectAlone(databaseUrl, 'mira-restore', log)
  try {
    const holds = await judgeDatabase(client)
    return {
      holds,
      async replaceBy(rows) {
        await client.query('BEGIN')
        if (holds === 'mira') await emptyDatabase(client)
        return loadSnapshot(client, rows)
      },
      async commit() {
        await client.query('COMMIT').catch((error: unknown) => {
          // the server's own answer
          if (error instanceof pg.DatabaseError) throw error
          throw new UnfinishedRestoreError(
            'The connection to the database was lost in the last step of the restore, which may have been completed: ' +
              'look what the database contains, or restore again with --replace.',
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
