import { type Capability, type Check, capabilities } from '@mira/shared'
import { describe, expect, test, vi } from 'vitest'
import { createHealthService, type HealthDeps } from './health.service.ts'

const models = Object.fromEntries(capabilities.map((name) => [name, { state: 'off', reason: 'No engine.' }])) as Record<
  Capability,
  Check
>
const never = () => new Promise<never>(() => {})

function serviceWith(deps: Partial<HealthDeps> = {}) {
  return createHealthService({
    version: '1.2.3',
    role: 'all',
    isStopping: () => false,
    database: { engine: 'embedded', isHealthy: async () => true, hasWorker: async () => false },
    probeStorage: async () => 10 ** 12,
    queue: { counts: async () => ({}) as never },
    sandboxing: { check: () => null },
    untrustedProxies: { list: () => [] },
    auditChain: { brokenAt: async () => null },
    ai: { checks: () => ({ ...models, chat: { state: 'ok', engine: 'built-in' } }) },
    timeoutMs: 20,
    ...deps,
  })
}

describe('health', () => {
  test('is ok when the database, the storage and the queue work, regardless of models', async () => {
    expect(await serviceWith().health()).toEqual({
      status: 'ok',
      version: '1.2.3',
      role: 'all',
      checks: {
        database: { state: 'ok', engine: 'embedded' },
        storage: { state: 'ok', engine: 'disk' },
        queue: { state: 'ok', engine: 'pg-boss' },
        models: { ...models, chat: { state: 'ok', engine: 'built-in' } },
      },
    })
  })

  test('is checked again after a second, even when the clock is set back', async () => {
    vi.useFakeTimers()
    const isHealthy = vi.fn(async () => true)
    const { health } = serviceWith({ database: { engine: 'embedded', isHealthy, hasWorker: async () => false } })
    await health()
    isHealthy.mockResolvedValue(false)
    vi.setSystemTime(Date.now() - 2 * 60 * 60_000)
    vi.advanceTimersByTime(1_000)
    expect((await health()).status).toBe('degraded')
    vi.useRealTimers()
  })

  test.each<[string, Partial<HealthDeps>, Partial<Record<string, Check>>]>([
    [
      'a database that is down',
      { database: { engine: 'server', isHealthy: async () => false, hasWorker: async () => true } },
      { database: { state: 'error', reason: 'The database isn’t responding.' } },
    ],
    [
      'a folder that cannot be written',
      { probeStorage: () => Promise.reject(new Error('EACCES /secret/path')) },
      { storage: { state: 'error', reason: 'The file storage folder isn’t writable.' } },
    ],
    [
      'a disk that is full',
      { probeStorage: () => Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })) },
      { storage: { state: 'error', reason: 'The storage is full.' } },
    ],
    [
      'a folder that hangs',
      { probeStorage: never },
      { storage: { state: 'error', reason: 'The file storage folder isn’t responding.' } },
    ],
    [
      'a disk that is nearly full',
      { probeStorage: async () => 50 * 1024 * 1024 },
      { storage: { state: 'error', reason: 'Only 50 MB of file storage are free.' } },
    ],
    [
      'a queue that cannot be read',
      { queue: { counts: () => Promise.reject(new Error('gone')) } },
      { queue: { state: 'error', reason: 'Background processing has stopped.' } },
    ],
    [
      'a queue that hangs',
      { queue: { counts: never } },
      { queue: { state: 'error', reason: 'The queue isn’t responding.' } },
    ],
    [
      'a web server without a worker',
      { role: 'web', workerAbsenceMs: -1 },
      {
        queue: {
          state: 'error',
          reason:
            'No worker is running, so new files aren’t read and nothing scheduled happens. Start a server with ROLE=worker.',
        },
      },
    ],
  ])('is degraded by %s', async (_name, deps, expected) => {
    const { status, checks } = await serviceWith(deps).health()
    expect(status).toBe('degraded')
    expect(checks).toMatchObject(expected)
  })

  test('tolerates a restarting worker, which only web servers need', async () => {
    const away = { engine: 'server', isHealthy: async () => true, hasWorker: async () => false } as const
    expect((await serviceWith({ role: 'web', database: away }).health()).status).toBe('ok')
    expect((await serviceWith({ role: 'worker', database: away, workerAbsenceMs: -1 }).health()).status).toBe('ok')
  })

  test('is stopping while the server shuts down', async () => {
    expect((await serviceWith({ isStopping: () => true }).health()).status).toBe('stopping')
  })

  test('probes the disk once for concurrent callers', async () => {
    let probes = 0
    const service = serviceWith({
      probeStorage: async () => {
        probes += 1
        return 10 ** 12
      },
    })
    await Promise.all(Array.from({ length: 50 }, () => service.health()))
    expect(probes).toBe(1)
  })
})

test('the public health check hides a model server’s message and address', async () => {
  const sentences = [{ code: 'model_unreachable', params: { address: 'http://10.0.0.5:11434' } }]
  const reason = 'Nothing listens at http://10.0.0.5:11434/v1.'
  const check: Check = { state: 'error', engine: 'remote', reason, told: sentences }
  const service = serviceWith({ ai: { checks: () => ({ ...models, chat: check }) } })
  expect((await service.health()).checks.models.chat).toEqual({
    state: 'error',
    engine: 'remote',
    reason: 'The engine isn’t working. Sign in to see why.',
    told: [{ code: 'engine_hidden', params: {} }],
  })
  expect((await service.checks()).models.chat).toEqual(check)
})

test('the public health check hides the address of a model server that lacks a model', async () => {
  const off = (reason: string, code: string): Check => ({ state: 'off', reason, told: [{ code, params: {} }] })
  const expected = {
    ...models,
    embedding: off('The model server at http://10.0.0.5:11434 lists no such model.', 'not_listed'),
  }
  const { checks } = await serviceWith({ ai: { checks: () => expected } }).health()
  expect(checks.models).toEqual({
    ...models,
    embedding: off('No engine is available for this. Sign in to see why.', 'reason_hidden'),
  })
})
