// PGlite as it is run here. Plain JavaScript, because a worker is loaded without the loader that a test runner brings.
import fs from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { vector } from '@electric-sql/pglite-pgvector'

/** PGlite itself never calls fsync: gives Emscripten's file system one, so that fsync=on means what it says. */
class DurableFS extends NodeFS {
  async init(pg, options) {
    const result = await super.init(pg, options)
    result.emscriptenOpts.preRun.push((module) => {
      // The second place is where 0.5.14 and earlier keep it.
      const nodefs = module.NODEFS ?? module.FS.filesystems.NODEFS
      nodefs.stream_ops.fsync = (stream) => {
        if (stream.nfd !== undefined) fs.fdatasyncSync(stream.nfd)
        return 0
      }
    })
    return result
  }
}

/** Messages of the protocol that do nothing, and nothing but parse. */
const SYNC = Uint8Array.of('S'.charCodeAt(0), 0, 0, 0, 4)
const EMPTY_QUERY = Uint8Array.of('Q'.charCodeAt(0), 0, 0, 0, 5, 0)

/**
 * The parser of SQL is one function of 105 kB, of which V8 would make faster code after some hundred words: with 600 MB
 * and seconds of a processor, for a twentieth of a millisecond a statement. Whether a function is counted towards that is
 * decided when it is called first, so the parser is called where nothing is counted; what it shares with others was
 * called before.
 */
class ModestPGlite extends PGlite {
  #hasParsed = false

  execProtocolRawSync(message) {
    if (!this.#hasParsed) {
      this.#hasParsed = true
      super.execProtocolRawSync(SYNC)
      setFlagsFromString('--wasm-tier-up-filter=0')
      super.execProtocolRawSync(EMPTY_QUERY)
      setFlagsFromString('--wasm-tier-up-filter=-1')
    }
    return super.execProtocolRawSync(message)
  }
}

/** Opens the database of a folder, or one in memory; a new one begins with the template, if there is one. */
export async function openPGlite({ directory, templateFile, isDurable }) {
  const syncs = directory !== undefined && isDurable
  const isNew = directory === undefined || !fs.existsSync(`${directory}/PG_VERSION`)
  const database = new ModestPGlite({
    ...(directory === undefined ? {} : { fs: new DurableFS(directory) }),
    extensions: { vector, pg_trgm },
    ...(templateFile !== undefined && isNew ? { loadDataDir: new Blob([fs.readFileSync(templateFile)]) } : {}),
    startParams: [
      // -F turns fsync off.
      ...PGlite.defaultStartParams.filter((parameter) => !syncs || parameter !== '-F'),
      ...(syncs ? ['-c', 'fsync=on', '-c', 'wal_sync_method=fsync'] : []),
      ...['-c', 'shared_buffers=32MB', '-c', 'maintenance_work_mem=256MB', '-c', 'max_wal_size=256MB'],
      // its pages are in memory or on a drive without a head to move
      ...['-c', 'random_page_cost=1.1'],
    ],
  })
  await database.waitReady
  return database
}
