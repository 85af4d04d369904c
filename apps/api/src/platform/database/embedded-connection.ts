import { Duplex } from 'node:stream'

/** Connection to the worker that pg uses as a socket. */
export class EmbeddedConnection extends Duplex {
  readonly id: number
  /** Bytes sent before the first response, which are repeated to the next worker after a crash; null after that response. */
  greeting: Uint8Array<ArrayBuffer>[] | null = []
  #send: (bytes: Uint8Array<ArrayBuffer>) => void
  #forget: (id: number) => void

  constructor(id: number, send: (bytes: Uint8Array<ArrayBuffer>) => void, forget: (id: number) => void) {
    super()
    this.id = id
    this.#send = send
    this.#forget = forget
  }

  // socket methods that pg calls, without meaning here
  setNoDelay() {
    return this
  }
  setKeepAlive() {
    return this
  }
  ref() {
    return this
  }
  unref() {
    return this
  }

  connect() {
    process.nextTick(() => {
      if (!this.destroyed) this.emit('connect')
    })
    return this
  }

  receive(data: Uint8Array<ArrayBuffer>) {
    this.greeting = null
    this.push(Buffer.from(data.buffer, data.byteOffset, data.byteLength))
  }

  override _read() {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void) {
    this.#sendBytes(chunk)
    done()
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void) {
    this.#sendBytes(Buffer.concat(chunks.map(({ chunk }) => chunk)))
    done()
  }

  #sendBytes(bytes: Buffer) {
    this.greeting?.push(new Uint8Array(bytes))
    this.#send(new Uint8Array(bytes))
  }

  override _final(done: () => void) {
    this.#forget(this.id)
    this.push(null)
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void) {
    this.#forget(this.id)
    done(error)
  }
}
