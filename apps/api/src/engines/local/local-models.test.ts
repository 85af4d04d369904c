import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { silentLog } from '../../../test/database-template.ts'
import { installTinyModels, tinyModels } from '../../../test/local-model-files.ts'
import { HUB_COMMIT, type HubFailure, type ModelHub, startModelHub } from '../../../test/model-hub.ts'
import { defaultModel } from './catalogue.ts'
import type { HubOptions } from './hub.ts'
import { createLocalModelFiles, type LocalModelFiles, type LocalModelsOptions } from './local-models.ts'

const model = defaultModel('embedding')
const WEIGHTS = 'onnx/model_quantized.onnx'

vi.setConfig({ testTimeout: 90_000 })

let hub: ModelHub
let directory: string
const open: LocalModelFiles[] = []

beforeAll(async () => {
  hub = await startModelHub()
})
beforeEach(() => {
  hub.reset()
  directory = mkdtempSync(join(tmpdir(), 'mira-models-'))
})
afterEach(async () => {
  for (const localModelFiles of open.splice(0)) await localModelFiles.close()
  rmSync(directory, { recursive: true, force: true })
})
afterAll(() => hub.close())

async function start(options: Partial<LocalModelsOptions> & { limits?: Partial<HubOptions> } = {}) {
  const { limits, ...rest } = options
  const files = await createLocalModelFiles({
    isEnabled: true,
    directory,
    pinsDirectory: join(directory, 'pins'),
    log: silentLog,
    retryDelayMs: 60_000,
    refreshIntervalMs: 0,
    hub: { baseUrl: hub.baseUrl, retryMs: 1, stallMs: 10_000, ...limits },
    ...rest,
  })
  open.push(files)
  return files
}
const pathOf = (file: string) => join(directory, model.id, file)
const stateOf = (files: LocalModelFiles) => files.stateOf(model).state
const until = (condition: () => unknown) => vi.waitFor(() => expect(condition()).toBeTruthy(), { timeout: 60_000 })
const untilReady = (files: LocalModelFiles) => until(() => stateOf(files) === 'ready')
const untilFailed = (files: LocalModelFiles) => until(() => stateOf(files) === 'failed')
const contentOf = (file: string) => Buffer.from(tinyModels[model.id]?.()[file] ?? '')
const expectComplete = () => {
  for (const { name } of model.files) expect(readFileSync(pathOf(name)).equals(contentOf(name)), name).toBe(true)
}

describe('a download', () => {
  test('fetches a model file by file and records the revision and files in a manifest', async () => {
    const files = await start()
    expect(files.stateOf(model)).toMatchObject({ state: 'absent', bytes: 0, error: null })
    const seenStates = new Set<string>()
    files.onChange(() => seenStates.add(stateOf(files)))
    files.requestModel(model)
    expect(stateOf(files)).toBe('downloading')
    await untilReady(files)
    expectComplete()
    expect([...seenStates]).toEqual(['downloading', 'ready'])
    expect(hub.requests.map(({ file }) => file)).toEqual(model.files.map(({ name }) => name))
    const manifest = JSON.parse(readFileSync(pathOf('mira-manifest.json'), 'utf8'))
    expect(manifest.commit).toBe(HUB_COMMIT)
    expect(Object.keys(manifest.files)).toEqual(model.files.map(({ name }) => name))
    expect(existsSync(pathOf('.lock'))).toBe(false)

    files.requestModel(model)
    await (await start()).ensureVerified(model)
    expect(hub.requests).toHaveLength(model.files.length)
  })

  test('resumes after a broken connection', async () => {
    const part = `${pathOf(WEIGHTS)}.part`
    const untilArrived = () => until(() => existsSync(part) && statSync(part).size === 1000)
    hub.failWith({ after: 1000, untilArrived }, { times: 1 })
    const files = await start()
    files.requestModel(model)
    await untilReady(files)
    expectComplete()
    expect(hub.requests.slice(-2)).toMatchObject([{ from: 0 }, { from: 1000 }])
  })

  test('resumes after the server was stopped', async () => {
    const part = `${pathOf(WEIGHTS)}.part`
    hub.failWith('hangs midway', { times: 1 })
    const first = await start()
    first.requestModel(model)
    await until(() => existsSync(part) && statSync(part).size === contentOf(WEIGHTS).length - 1)
    await first.close()
    writeFileSync(part, contentOf(WEIGHTS).subarray(0, 500))

    const second = await start()
    expect(second.stateOf(model).state).toBe('absent')
    second.requestModel(model)
    await untilReady(second)
    expectComplete()
    expect(hub.requests.at(-1)).toMatchObject({ file: WEIGHTS, from: 500 })
  })

  test('starts over when the hub ignores ranges', async () => {
    mkdirSync(pathOf('onnx'), { recursive: true })
    writeFileSync(`${pathOf(WEIGHTS)}.part`, 'x'.repeat(100))
    hub.failWith('ignores the range')
    const files = await start()
    files.requestModel(model)
    await untilReady(files)
    expectComplete()
  })

  test('accepts a partial file that is already complete', async () => {
    mkdirSync(pathOf('onnx'), { recursive: true })
    writeFileSync(`${pathOf(WEIGHTS)}.part`, contentOf(WEIGHTS))
    const files = await start()
    files.requestModel(model)
    await untilReady(files)
    expectComplete()
  })
})

describe('a hub', () => {
  const cases: [failure: HubFailure, reason: RegExp][] = [
    ['hangs', /doesn’t respond/],
    ['hangs midway', /doesn’t respond/],
    ['claims a huge size', /far more than expected/],
    ['sends too much', /sent more bytes of onnx\/model_quantized.onnx than expected/],
    ['sends half', /broke off/],
    ['sends something else', /model_quantized.onnx arrived damaged/],
    ['redirects to a file URL', /redirects to an insecure address/],
    [404, /has no file onnx\/model_quantized.onnx/],
    [401, /access to this model is restricted/],
    [503, /responded with status 503/],
  ]
  test.each(cases)(
    'with the problem "%s" makes a download fail with a plain reason, and the next one succeeds',
    async (failure, reason) => {
      hub.failWith(failure)
      const files = await start({ limits: { stallMs: 300, maxTries: 2 } })
      files.requestModel(model)
      await untilFailed(files)
      expect(files.stateOf(model).error).toMatch(reason)
      expect(existsSync(pathOf(WEIGHTS))).toBe(false)
      expect(files.stateOf(model).error).not.toContain('http://')
      await vi.waitFor(() => expect(hub.openResponses()).toBe(0), { timeout: 5_000 })

      hub.reset()
      files.requestModel(model)
      expect(hub.requests).toEqual([])
      files.download(model.id)
      await untilReady(files)
      expectComplete()
      await files.ensureVerified(model)
    },
  )

  test('is not contacted again for a while when it cannot be reached', async () => {
    const files = await start({ limits: { baseUrl: 'http://127.0.0.1:9', maxTries: 1 }, retryDelayMs: 60_000 })
    files.requestModel(model)
    await untilFailed(files)
    expect(files.stateOf(model).error).toBe('127.0.0.1:9: it can’t be reached')
    files.requestModel(model)
    expect(stateOf(files)).toBe('failed')
  })
})

describe('a model that was downloaded before', () => {
  test('is downloaded again at the same revision', async () => {
    const files = await start()
    files.requestModel(model)
    await untilReady(files)
    expect(hub.requests.map(({ commit }) => commit)).toEqual(['main', ...model.files.slice(1).map(() => HUB_COMMIT)])
    await files.remove(model.id)
    hub.requests.length = 0
    files.download(model.id)
    await untilReady(files)
    expect(new Set(hub.requests.map(({ commit }) => commit))).toEqual(new Set([HUB_COMMIT]))
  })

  test('is rejected when the hub has a different file, even with a matching hash', async () => {
    const first = await start()
    first.requestModel(model)
    await untilReady(first)
    await first.remove(model.id)
    const other = Buffer.concat([contentOf(WEIGHTS), Buffer.from('x')])
    hub.publish(model.id, WEIGHTS, other)
    const files = await start()
    files.download(model.id)
    await untilFailed(files)
    expect(files.stateOf(model).error).toBe(
      `${WEIGHTS} differs from the file that was downloaded first, and was rejected`,
    )
    expect(existsSync(pathOf(WEIGHTS))).toBe(false)
    expect(existsSync(`${pathOf(WEIGHTS)}.part`)).toBe(false)

    // The same files at a newer revision are accepted.
    hub.publish(model.id, WEIGHTS, contentOf(WEIGHTS))
    files.download(model.id)
    await untilReady(files)
    expectComplete()
  })
})

describe('model files on disk', () => {
  test('may be copied there by hand, also while the server runs', async () => {
    const files = await start()
    installTinyModels(directory, [model.id])
    await untilReady(files)
    await files.ensureVerified(model)
    expect(hub.requests).toEqual([])
    expect(JSON.parse(readFileSync(pathOf('mira-manifest.json'), 'utf8')).commit).toBe(null)
  })

  test('are verified: a damaged file is removed, and only that one is downloaded again', async () => {
    const before = await start()
    before.requestModel(model)
    await untilReady(before)
    await before.close()
    hub.reset()
    const damaged = contentOf(WEIGHTS)
    damaged[10] = (damaged[10] ?? 0) ^ 1
    writeFileSync(pathOf(WEIGHTS), damaged)

    const files = await start()
    await expect(files.ensureVerified(model)).rejects.toThrow(/model_quantized.onnx is damaged/)
    expect(files.stateOf(model)).toMatchObject({ state: 'failed', error: expect.stringContaining('damaged') })
    files.requestModel(model)
    await untilReady(files)
    await files.ensureVerified(model)
    expect(hub.requests.map(({ file }) => file)).toEqual([WEIGHTS])
  })

  test('are rejected when one is a Git LFS pointer', async () => {
    installTinyModels(directory, [model.id])
    writeFileSync(pathOf(WEIGHTS), 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 118000000\n')
    await expect((await start()).ensureVerified(model)).rejects.toThrow(/Git LFS pointer/)
  })

  test('are removed on request, and nothing else in the folder', async () => {
    installTinyModels(directory, [model.id])
    writeFileSync(pathOf('notes.txt'), 'mine')
    const files = await start()
    await files.remove(model.id)
    expect(stateOf(files)).toBe('absent')
    expect(readFileSync(pathOf('notes.txt'), 'utf8')).toBe('mine')
    expect(existsSync(pathOf('onnx'))).toBe(false)
    await expect(files.remove('../../etc')).rejects.toThrow('This model doesn’t exist.')
  })

  test('are neither used nor downloaded when local models are switched off', async () => {
    installTinyModels(directory)
    const files = await start({ isEnabled: false })
    files.requestModel(model)
    expect(() => files.download(model.id)).toThrow(expect.objectContaining({ code: 'local_models_off' }))
    expect(stateOf(files)).toBe('absent')
    expect(hub.requests).toEqual([])
  })
})

describe('servers that share the folder', () => {
  test('download a model once', async () => {
    const [one, other] = [await start(), await start()]
    const release = hub.hold()
    one.requestModel(model)
    await until(() => existsSync(pathOf('.lock')))
    other.requestModel(model)
    await until(() => stateOf(other) === 'downloading')
    release()
    await untilReady(one)
    await untilReady(other)
    expect(hub.requests.map(({ file }) => file)).toEqual(model.files.map(({ name }) => name))
  })

  test('take over the download of a server that died', async () => {
    mkdirSync(pathOf('.'), { recursive: true })
    writeFileSync(pathOf('.lock'), 'of a server that is gone')
    const longAgo = new Date(Date.now() - 3_600_000)
    utimesSync(pathOf('.lock'), longAgo, longAgo)
    const files = await start()
    files.requestModel(model)
    await untilReady(files)
  })
})
