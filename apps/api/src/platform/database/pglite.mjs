// PGlite with our settings. Plain JavaScript, because workers are loaded without the test runner's loader.
import fs from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { vector } from '@electric-sql/pglite-pgvector'

/** Adds fsync, which PGlite lacks, to Emscripten's file system, so that fsync=on takes effect. */
class DurableFS extends NodeFS {
  async init(pg, options) {
    const result = await super.init(pg, options)
    result.emscriptenOpts.preRun.push((module) => {
      // FS.filesystems is for 0.5.14 and earlier
      const nodefs = module.NODEFS ?? module.FS.filesystems.NODEFS
      nodefs.stream_ops.fsync = (stream) => {
        if (stream.nfd !== undefined) fs.fdatasyncSync(stream.nfd)
        return 0
      }
    })
    return result
  }
}

/** Protocol messages: SYNC does nothing, and EMPTY_QUERY only runs the parser. */
const SYNC = Uint8Array.of('S'.charCodeAt(0), 0, 0, 0, 4)
const EMPTY_QUERY = Uint8Array.of('Q'.charCodeAt(0), 0, 0, 0, 5, 0)

/**
 * Keeps V8 from optimising the SQL parser, a single function of 105 kB: after some hundred parsed words that would take 600 MB and
 * seconds of CPU, to save a twentieth of a millisecond per statement. V8 decides at a function's first call whether it may
 * be optimised, so the parser is first called while optimisation is off, after the functions that it shares with others.
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

/** Opens a database in a folder or in memory; a new one is initialised from the template, if there is one. */
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
      // its pages are in memory or on an SSD
      ...['-c', 'random_page_cost=1.1'],
    ],
  })
  await database.waitReady
  return database
}
