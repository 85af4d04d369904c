// Runs PGlite off the main thread and speaks PostgreSQL's wire protocol over the message port (embedded.ts is the
// other end). Plain JavaScript, because a worker is loaded without the loader that a test runner brings.
// As a process it makes a new database, and ends.
import fs from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { vector } from '@electric-sql/pglite-pgvector'

const TERMINATE = 'X'.charCodeAt(0)

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

const { directory, templateFile, isDurable } = workerData ?? JSON.parse(process.argv[2])
const syncs = directory !== undefined && isDurable
const isNew = directory === undefined || !fs.existsSync(`${directory}/PG_VERSION`)

if (workerData === null) {
  // ends with whoever asked for it, not with a signal to both
  process.once('disconnect', () => process.exit(1))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  process.once('uncaughtException', (error) => {
    process.send({ message: error.message, errno: error.errno }, () => process.exit(1))
  })
}

const database = await PGlite.create({
  ...(directory === undefined ? {} : { fs: new DurableFS(directory) }),
  extensions: { vector, pg_trgm },
  ...(templateFile !== undefined && isNew ? { loadDataDir: new Blob([fs.readFileSync(templateFile)]) } : {}),
  startParams: [
    // -F turns fsync off.
    ...PGlite.defaultStartParams.filter((parameter) => !syncs || parameter !== '-F'),
    ...(syncs ? ['-c', 'fsync=on', '-c', 'wal_sync_method=fsync'] : []),
    ...['-c', 'shared_buffers=32MB', '-c', 'maintenance_work_mem=256MB'],
  ],
})

if (workerData === null) {
  await database.close()
  process.exit(0)
}

/** The wires that are open: what has arrived of a message that is not complete yet, and whether it was greeted. */
const wires = new Map()

async function hangUp(id) {
  if (!wires.delete(id)) return
  // There is one session for all wires: the next one must find it clean.
  if (database.isInTransaction()) await database.exec('ROLLBACK')
  await database.exec('DEALLOCATE ALL; RESET ALL')
}

/** @returns what the database answers to all messages that are complete now; undefined when it is nothing. */
async function receive(id, data) {
  let wire = wires.get(id)
  if (!wire) {
    wire = { buffer: Buffer.alloc(0), isStarted: false }
    wires.set(id, wire)
  }
  const chunk = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  wire.buffer = wire.buffer.length > 0 ? Buffer.concat([wire.buffer, chunk]) : chunk
  let end = 0
  let isOver = false
  while (!isOver && wire.buffer.length >= end + 5) {
    // The first message of a wire has no type byte.
    const length = wire.isStarted ? 1 + wire.buffer.readUInt32BE(end + 1) : wire.buffer.readUInt32BE(end)
    if (wire.buffer.length < end + length) break
    isOver = wire.isStarted && wire.buffer[end] === TERMINATE
    wire.isStarted = true
    if (!isOver) end += length
  }
  const messages = new Uint8Array(wire.buffer.subarray(0, end))
  wire.buffer = wire.buffer.subarray(end)
  const answers = []
  if (end > 0) {
    await database.execProtocolRawStream(messages, {
      syncToFs: false,
      onRawData: (bytes) => answers.push(Buffer.from(bytes)),
    })
  }
  if (isOver) await hangUp(id)
  return answers.length > 0 ? new Uint8Array(Buffer.concat(answers)) : undefined
}

async function dump(file) {
  const tar = await database.dumpDataDir('none')
  fs.writeFileSync(file, Buffer.from(await tar.arrayBuffer()))
}

async function handle(message) {
  if (message.type === 'data') return receive(message.id, message.data)
  if (message.type === 'end') await hangUp(message.id)
  else if (message.type === 'dump') {
    await dump(message.file)
    parentPort.postMessage({ type: 'done' })
  } else if (message.type === 'close') {
    await database.close()
    parentPort.postMessage({ type: 'done' })
  }
}

let queue = Promise.resolve()
parentPort.on('message', (message) => {
  queue = queue
    .then(() => handle(message))
    .then((data) => {
      const isHandled = message.isLimited === true
      if (data !== undefined) {
        parentPort.postMessage({ type: 'data', id: message.id, data, isHandled }, [data.buffer])
      } else if (isHandled) parentPort.postMessage({ type: 'handled' })
    })
    // Errors of SQL travel inside the protocol: what is thrown means that PGlite itself is broken. embedded.ts starts
    // another worker.
    .catch((error) => {
      parentPort.postMessage({ type: 'broken', reason: String(error?.stack ?? error) })
      process.exit(1)
    })
})
parentPort.postMessage({ type: 'ready' })
