import { open } from 'node:fs/promises'

/** Random access to the bytes of a file. */
export interface FileBytes {
  sizeBytes: number
  /** Shorter than `length` at the end of the file. */
  read(position: number, length: number): Promise<Buffer>
}

/** Opens a file for random access while `use` runs. @param source the bytes, or the path of a file. */
export async function withBytes<Result>(
  source: Uint8Array | string,
  use: (bytes: FileBytes) => Promise<Result>,
): Promise<Result> {
  if (typeof source !== 'string') {
    const whole = Buffer.from(source.buffer, source.byteOffset, source.length)
    return use({
      sizeBytes: whole.length,
      read: async (position, length) => whole.subarray(position, position + length),
    })
  }
  const handle = await open(source)
  try {
    const { size } = await handle.stat()
    return await use({
      sizeBytes: size,
      async read(position, length) {
        const readLength = Math.max(0, Math.min(length, size - position))
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(readLength), 0, readLength, position)
        return buffer.subarray(0, bytesRead)
      },
    })
  } finally {
    await handle.close()
  }
}
