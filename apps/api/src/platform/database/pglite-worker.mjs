// Runs PGlite off the main thread and speaks PostgreSQL's wire protocol over the message port (embedded.ts is the
// other end). Plain JavaScript, because a worker is loaded without the loader that a test runner brings.
// As a process it makes a new database, and ends.
import fs from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { openPGlite } from './pglite.mjs'

const TERMINATE = 'X'.charCodeAt(0)

const options = workerData ?? JSON.parse(process.argv[2])

if (workerData === null) {
  // ends with whoever asked for it, not with a signal to both
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
      if (data !== undefined) parentPort.postMessage({ type: 'data', id: message.id, data }, [data.buffer])
      else if (message.type === 'data') parentPort.postMessage({ type: 'handled' })
    })
    // Errors of SQL travel inside the protocol: what is thrown means that PGlite itself is broken. embedded.ts starts
    // another worker.
    .catch((error) => {
      parentPort.postMessage({ type: 'broken', reason: String(error?.stack ?? error) })
      process.exit(1)
    })
})
parentPort.postMessage({ type: 'ready' })
