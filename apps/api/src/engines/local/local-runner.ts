import { availableParallelism } from 'node:os'
import { AppError, EngineError, sentenceOf, UnavailableError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Sandboxing } from '../../platform/sandbox/sandboxing.ts'
import { TaskError } from '../../platform/sandbox/task-error.ts'
import { createTaskProcess, type TaskProcess } from '../../platform/sandbox/task-process.ts'
import { type Sentence, say } from '../../sentences.ts'
import type { LocalModelInfo } from './catalogue.ts'
import type { ModelToRun } from './load-model.ts'
import { ModelFileError } from './model-files.ts'
import type { ModelTasks } from './model-process.ts'

/** Limits of the processes that run models. */
export interface RunnerLimits {
  /** Idle time after which a model is unloaded. */
  idleMs: number
  loadTimeoutMs: number
  /** Overrides the catalogue's limit of each model. */
  memoryLimitMb?: number
  /** Time for a cancelled task to end. After that, its process is killed, which also unloads the model. */
  cancelGraceMs?: number
}

/** Runs the current model of one capability in a separate process. */
export interface LocalRunner {
  /**
   * Runs a task on the model, loading it first if needed.
   * @param signal stops waiting, and cancels the running task unless it `isShort`.
   * @throws EngineError; the signal's reason.
   */
  run<Name extends keyof ModelTasks & string>(
    task: Name,
    inputOf: (model: ModelToRun) => Parameters<ModelTasks[Name]>[0],
    options: {
      signal: AbortSignal
      timeoutMs: number
      isUrgent?: boolean
      isShort?: boolean
      /** Receives parts of the result before the task ends. */
      onPart?: (part: string) => void
    },
  ): Promise<{ result: Awaited<ReturnType<ModelTasks[Name]>>; model: string }>
  /** Last failure until the next success, shown to the user. */
  problem(): Sentence | null
  isLoaded(model: LocalModelInfo): boolean
  unload(): Promise<void>
  close(): Promise<void>
}

const MAX_THREADS = 4

/** Runs the model of a capability in a child process, started on demand and restarted after a crash. */
export function createLocalRunner(options: {
  name: string
  directory: string
  sandboxing: Sandboxing
  /** The model in use, read for each call. */
  model(): LocalModelInfo
  /** Verifies the model's files; resolves when they're intact. */
  ensureVerified(model: LocalModelInfo): Promise<void>
  onChange(model: LocalModelInfo): void
  limits: RunnerLimits
  log: Log
}): LocalRunner {
  const { name, directory, sandboxing, ensureVerified, onChange, limits, log } = options
  // The other half of the cores serves requests.
  const threads = Math.max(1, Math.min(MAX_THREADS, Math.floor(availableParallelism() / 2)))
  let current: { model: LocalModelInfo; child: TaskProcess<ModelTasks> } | undefined
  /** `pid` is null while loading. */
  let loaded: { pid: number | null; loading: Promise<unknown> } | undefined
  let problem: Sentence | null = null
  let isClosed = false

  const childFor = async (model: LocalModelInfo): Promise<TaskProcess<ModelTasks>> => {
    if (isClosed) throw new TaskError('closed', 'Local models have been closed.')
    if (current?.model.id !== model.id) {
      const before = current
      const child = createTaskProcess<ModelTasks>({
        sandboxing,
        reads: [directory],
        isForEverybody: true,
        keepsState: true,
        module: new URL('./model-process.ts', import.meta.url),
        name: `local ${name}`,
        memoryLimitMb: limits.memoryLimitMb ?? model.memoryLimitMb,
        idleMs: limits.idleMs,
        ...(limits.cancelGraceMs === undefined ? {} : { cancelGraceMs: limits.cancelGraceMs }),
        warn: (fields, sentence) => log.warn({ ...fields, model: model.id }, sentence),
      })
      current = { model, child }
      loaded = undefined
      await before?.child.close()
    }
    return current.child
  }

  const load = async (child: TaskProcess<ModelTasks>, model: LocalModelInfo, modelToRun: ModelToRun) => {
    if (loaded !== undefined && (loaded.pid === null || loaded.pid === child.pid())) return loaded.loading
    const loading = child.run('load', modelToRun, { timeoutMs: limits.loadTimeoutMs, isUrgent: true })
    const attempt: NonNullable<typeof loaded> = { pid: null, loading }
    loaded = attempt
    try {
      await loading
      attempt.pid = child.pid() ?? 0
      onChange(model)
    } catch (error) {
      if (loaded === attempt) loaded = undefined
      throw error
    }
  }

  /**
   * Starts the process and loads the model. Continues even when no caller is waiting any more; otherwise, cancelled requests
   * would start it again and again.
   */
  const prepare = async (model: LocalModelInfo, modelToRun: ModelToRun) => {
    await ensureVerified(model)
    const child = await childFor(model)
    await load(child, model, modelToRun)
    return child
  }

  return {
    async run(task, inputOf, { signal, timeoutMs, isUrgent = false, isShort = false, onPart }) {
      const model = options.model()
      const modelToRun: ModelToRun = { directory, id: model.id, family: model.family, threads }
      try {
        const child = await untilAborted(prepare(model, modelToRun), signal)
        const running = child.run(task, inputOf(modelToRun) as never, {
          timeoutMs,
          isUrgent,
          signal: isShort ? undefined : signal,
          ...(onPart === undefined ? {} : { onPart: onPart as never }),
        })
        const result = (await untilAborted(running, signal)) as never
        problem = null
        return { result, model: model.id }
      } catch (error) {
        signal.throwIfAborted()
        const failure = failureOf(error, model, limits.memoryLimitMb ?? model.memoryLimitMb)
        if (failure instanceof EngineError) problem = sentenceOf(failure)
        throw failure
      }
    },
    problem: () => problem,
    isLoaded: (model) =>
      current?.model.id === model.id && typeof loaded?.pid === 'number' && loaded.pid === current.child.pid(),
    async unload() {
      const before = current
      current = undefined
      loaded = undefined
      problem = null
      await before?.child.close()
    },
    async close() {
      isClosed = true
      await current?.child.close()
    },
  }
}

/** Stops waiting when the caller aborts; the work continues. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  // When the caller has given up, nothing else handles a later rejection.
  work.catch(() => {})
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Error with a text for the user. */
function failureOf(error: unknown, { id }: LocalModelInfo, memoryLimitMb: number): unknown {
  if (error instanceof AppError) return error
  const failed = (sentence: Sentence, code: string) => new EngineError(sentence, { code, cause: error })
  if (error instanceof ModelFileError) {
    return failed(say('local_model_damaged', { model: id, said: error.message }), 'local_model_damaged')
  }
  if (!(error instanceof TaskError)) return error
  const model = { model: id }
  switch (error.reason) {
    case 'timeout':
      return failed(say('local_model_slow', model), 'model_timeout')
    case 'memory': {
      return failed(say('local_model_memory', { ...model, megabytes: memoryLimitMb }), 'local_model_memory')
    }
    case 'crashed': {
      return failed(say('local_model_crashed', model), 'local_model_crashed')
    }
    case 'unstartable': {
      return failed(say('local_model_unstartable', model), 'local_model_unstartable')
    }
    case 'busy':
      return failed(say('local_model_busy', model), 'local_model_busy')
    case 'closed':
      return new UnavailableError(say('server_stops', {}), { cause: error })
    case 'failed': {
      const isUnloadable = error.code === 'load_failed'
      const sentenceCode = isUnloadable ? 'local_model_unloadable' : 'local_model_failed'
      return failed(say(sentenceCode, { ...model, said: error.message }), error.code ?? 'local_model_failed')
    }
  }
}
