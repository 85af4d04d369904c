import type { UploadOptions } from 'tus-js-client'
import { afterEach, expect, it, vi } from 'vitest'
import { fingerprintOf, uploadInParts } from './uploads.ts'

/** Options of each attempt to send bytes; the first attempts end with the errors in `headStatuses`. */
const tus = vi.hoisted(() => ({ attempts: [] as UploadOptions[], headStatuses: [] as number[] }))

vi.mock('tus-js-client', () => ({
  Upload: class {
    url: string | null = null
    readonly #options: UploadOptions
    constructor(_file: File, options: UploadOptions) {
      this.#options = options
    }
    start() {
      const { endpoint, uploadUrl, onError, onSuccess, onUploadUrlAvailable } = this.#options
      tus.attempts.push(this.#options)
      const status = tus.headStatuses.shift()
      this.url = uploadUrl ?? `${endpoint}/new`
      onUploadUrlAvailable?.()
      if (status === undefined) return onSuccess?.({} as never)
      const response = { getStatus: () => status, getBody: () => '', getHeader: () => undefined }
      const request = { getMethod: () => 'HEAD' }
      onError?.(Object.assign(new Error('tus'), { originalRequest: request, originalResponse: response }) as never)
    }
  },
}))

afterEach(() => {
  vi.unstubAllGlobals()
  tus.attempts = []
})

const file = (content: string, { name = 'a.mp4', lastModified = 1 } = {}) => new File([content], name, { lastModified })

it('the fingerprint is the same for the same file, and differs by name, time, beginning or end', async () => {
  const long = 'x'.repeat(600_000)
  const fingerprint = await fingerprintOf(file(long))
  expect(fingerprint).toMatch(/^600000-1-[0-9a-f]{16}$/)
  expect(await fingerprintOf(file(long))).toBe(fingerprint)
  const others = [
    file(long, { name: 'b.mp4' }),
    file(long, { lastModified: 2 }),
    file(`y${long.slice(1)}`),
    file(`${long.slice(1)}y`),
    file(`${long}x`),
  ]
  const prints = await Promise.all(others.map(fingerprintOf))
  expect(new Set([fingerprint, ...prints]).size).toBe(others.length + 1)
})

/** Addresses of the attempts to resume an upload, the first of which get these statuses. */
async function resume(headStatuses: number[]): Promise<string[]> {
  const film = file('film')
  const unfinished = { id: 'old', fingerprint: await fingerprintOf(film), size_bytes: 4, import_source: null }
  vi.stubGlobal('document', { querySelector: () => null })
  vi.stubGlobal('window', Object.assign(new EventTarget(), { location: { href: 'https://mira.test/upload' } }))
  vi.stubGlobal('fetch', async (url: string) =>
    Response.json(url.endsWith('/uploads') ? { uploads: [unfinished] } : { import_id: 'done' }),
  )
  tus.headStatuses = headStatuses
  await uploadInParts(film, {}, { onProgress: () => {} })
  return tus.attempts.map(({ endpoint, uploadUrl }) => endpoint ?? `to ${uploadUrl?.split('/').at(-1)}`)
}

it('an upload that’s locked, or whose server is restarting, is resumed rather than sent again from the start', async () => {
  expect(await resume([423, 502])).toEqual(['to old', 'to old', 'to old'])
})

it('an upload that has expired is started again', async () => {
  expect(await resume([404])).toEqual(['to old', 'https://mira.test/api/media/uploads'])
})
