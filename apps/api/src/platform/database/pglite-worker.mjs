// Runs PGlite off the main thread and speaks PostgreSQL's connection protocol over the message port (embedded.ts is the
// other end). Plain JavaScript, because workers are loaded without the test runner's loader.
// As a child process it creates a new database and exits.
import fs from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { openPGlite } from './pglite.mjs'

const TERMINATE = 'X'.charCodeAt(0)

const options = workerData ?? JSON.parse(process.argv[2])

if (workerData === null) {
  // ends with its parent rather than with a signal to both
  process.once('disconnect', () => process.exit(1))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  process.once('uncaughtException', (error) => {
    process.send({ message: error.message, errno: error.errno }, () => process.exit(1))
  })
}

const database = await openPGlite(options)

if (workerData === null) {
  await database.close()
  process.exit(0)
}

/** Open connections by id: the buffer of an incomplete message, and whether the first message has arrived. */
const connections = new Map()

async function hangUp(id) {
  if (!connections.delete(id)) return
  // all connections share one session, which must be clean for the next one
  if (database.isInTransaction()) await database.exec('ROLLBACK')
  await database.exec('DEALLOCATE ALL; RESET ALL')
}

/** @returns the database's response to all messages that are complete now; undefined for none. */
async function receive(id, data) {
  let connection = connections.get(id)
  if (!connection) {
    connection = { buffer: Buffer.alloc(0), isStarted: false }
    connections.set(id, connection)
  }
  const chunk = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  connection.buffer = connection.buffer.length > 0 ? Buffer.concat([connection.buffer, chunk]) : chunk
  let end = 0
  let isOver = false
  while (!isOver && connection.buffer.length >= end + 5) {
    // the first message of a connection has no type byte
    const length = connection.isStarted
      ? 1 + connection.buffer.readUInt32BE(end + 1)
      : connection.buffer.readUInt32BE(end)
    if (connection.buffer.length < end + length) break
    isOver = connection.isStarted && connection.buffer[end] === TERMINATE
    connection.isStarted = true
    if (!isOver) end += length
  }
  const messages = new Uint8Array(connection.buffer.subarray(0, end))
  connection.buffer = connection.buffer.subarray(end)
  const responses = []
  if (end > 0) {
    await database.execProtocolRawStream(messages, {
      syncToFs: false,
      onRawData: (bytes) => responses.push(Buffer.from(bytes)),
    })
  }
  if (isOver) await hangUp(id)
  return responses.length > 0 ? new Uint8Array(Buffer.concat(responses)) : undefined
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
      if (data !== undefined) parentPort.postMessage({ type: 'data', id: message.id, data }, [data.buffer])
      else if (message.type === 'data') parentPort.postMessage({ type: 'handled' })
    })
    // SQL errors are part of the protocol: a thrown error means that PGlite itself is broken. embedded.ts starts another
    // worker.
    .catch((error) => {
      parentPort.postMessage({ type: 'broken', reason: String(error?.stack ?? error) })
      process.exit(1)
    })
})
parentPort.postMessage({ type: 'ready' })
