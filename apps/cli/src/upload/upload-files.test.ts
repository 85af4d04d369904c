import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError, type Mira } from '@mira/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { LocalFile } from './files.ts'
import { type Outcome, type UploadListener, uploadFiles, uploadWithRetries } from './upload-files.ts'

vi.mock('node:timers/promises', () => ({ setTimeout: async () => undefined }))

const EMPTY = createHash('sha256').digest('hex')

let folder: string
/** More files than one request looks up. */
const files: LocalFile[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-upload-'))
  for (let n = 0; n < 52; n++) {
    const path = join(folder, `${n}.txt`)
    await writeFile(path, `Letter ${n}`)
    files.push({ path, sizeBytes: 10 })
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Uploads to a server that, once it responds, knows every file except empty ones. */
async function upload(
  localFiles: LocalFile[],
  nextFailure: (hashes: string[]) => ApiError | undefined,
  patience?: Parameters<typeof uploadWithRetries>[3],
): Promise<Outcome[]> {
  const call = async (_key: string, { json }: { json: { sha256: string[] } }) => {
    const failure = nextFailure(json.sha256)
    if (failure) throw failure
    return { known: json.sha256.filter((sha256) => sha256 !== EMPTY).map((sha256) => ({ sha256, id: 'known' })) }
  }
  const mira = { call } as unknown as Mira
  const outcomes: Outcome[] = []
  const options = { mira, account: { url: 'http://localhost', token: 'mira_x' }, keepPlace: false }
  const listener: UploadListener = {
    onProgress: () => undefined,
    onOutcome: (_file, outcome) => void outcomes.push(outcome),
  }
  await (patience
    ? uploadWithRetries(localFiles, options, listener, patience)
    : uploadFiles(localFiles, options, listener))
  return outcomes
}

const apiError = (status: number) => new ApiError(status, { code: 'refused', detail: 'Not now.' })
const kinds = (outcomes: Outcome[]) => [...new Set(outcomes.map(({ outcome }) => outcome))]

test('retries when the server is briefly unreachable', async () => {
  const failures = [apiError(0), apiError(502), apiError(503)]
  const outcomes = await upload(files, () => failures.shift())
  expect(outcomes).toHaveLength(52)
  expect(kinds(outcomes)).toEqual(['known'])
})

test('reports files as failed when the server stays unreachable, and tries the next ones', async () => {
  let attempts = 0
  const outcomes = await upload(files, () => (++attempts <= 5 ? apiError(0) : undefined))
  expect(outcomes.filter(({ outcome }) => outcome === 'failed')).toHaveLength(50)
  expect(outcomes[0]).toMatchObject({ path: files[0]?.path, outcome: 'failed', code: 'refused', detail: 'Not now.' })
  expect(outcomes.filter(({ outcome }) => outcome === 'known')).toHaveLength(2)
})

test('with --watch, waits for a server that stays unreachable, and only refused files fail', async () => {
  const awayDetails: string[] = []
  const patience = () => ({
    onUnavailable: (detail: string) => void awayDetails.push(detail),
    signal: new AbortController().signal,
  })
  const attempts = Array.from({ length: 23 }, () => apiError(0))
  const outcomes = await upload(files, () => attempts.pop(), patience())
  expect(kinds(outcomes)).toEqual(['known'])
  expect(new Set(outcomes.map(({ path }) => path)).size).toBe(52)
  expect(awayDetails).toEqual(['Not now.'])
  expect(kinds(await upload(files.slice(0, 1), () => apiError(507), patience()))).toEqual(['failed'])
  // a file that fails although the server responds
  let requests = 0
  const isProbe = (hashes: string[]) => hashes[0] === '0'.repeat(64)
  const failing = await upload(
    files.slice(0, 1),
    (hashes) => (++requests && isProbe(hashes) ? undefined : apiError(502)),
    patience(),
  )
  expect(kinds(failing)).toEqual(['failed'])
  expect(requests).toBe(17)
  expect(Object.keys(failing[0] as object).sort()).toEqual(['code', 'detail', 'outcome', 'path'])
  const stopped = { onUnavailable: () => undefined, signal: AbortSignal.abort() }
  expect(kinds(await upload(files.slice(0, 1), () => apiError(0), stopped))).toEqual(['failed'])
})

test('a rejected token ends the upload at once', async () => {
  for (const status of [401, 403]) {
    let attempts = 0
    const attempt = upload(files, () => {
      attempts++
      return apiError(status)
    })
    await expect(attempt).rejects.toMatchObject({ status })
    expect(attempts).toBe(1)
  }
})

test('a file that disappears doesn’t stop the others', async () => {
  const disappearing = { path: join(folder, 'going.txt'), sizeBytes: 0 }
  await writeFile(disappearing.path, '')
  const outcomes = await upload([disappearing, ...files.slice(0, 2)], () => {
    rmSync(disappearing.path)
    return undefined
  })
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['failed', 'known', 'known'])
})
