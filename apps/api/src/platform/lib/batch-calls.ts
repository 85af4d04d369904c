import { runAsUser } from './current-user.ts'

interface PendingCall<Input, Output> {
  input: Input
  resolve(output: Output): void
  reject(error: unknown): void
}

/**
 * Batches calls of work that handles many inputs as fast as one: calls that arrive while `atOnce` batches are running wait and
 * then run together. Otherwise a call starts immediately.
 * @param max maximum total size of a batch; a larger input runs alone.
 * @param work returns an output for each input, in order. It runs without a user, because it may serve several.
 * @param concernsInput true for a failure that one of the inputs may have caused: each is then tried alone, so that no call
 * fails because of another's input.
 */
export function batchCalls<Input, Output>(
  work: (inputs: Input[]) => Promise<Output[]>,
  {
    atOnce,
    max,
    sizeOf = () => 1,
    concernsInput,
  }: { atOnce: number; max: number; sizeOf?(input: Input): number; concernsInput(error: unknown): boolean },
): (input: Input) => Promise<Output> {
  const waiting: PendingCall<Input, Output>[] = []
  let runningBatches = 0

  const runBatch = async (batch: PendingCall<Input, Output>[]): Promise<void> => {
    try {
      const outputs = await work(batch.map(({ input }) => input))
      for (const [index, { resolve }] of batch.entries()) resolve(outputs[index] as Output)
    } catch (error) {
      if (batch.length > 1 && concernsInput(error)) for (const one of batch) await runBatch([one])
      else for (const { reject } of batch) reject(error)
    }
  }

  const takeBatch = () => {
    let size = 0
    const end = waiting.findIndex(({ input }, index) => {
      size += sizeOf(input)
      return index > 0 && size > max
    })
    return waiting.splice(0, end === -1 ? waiting.length : end)
  }

  const begin = () => {
    while (runningBatches < atOnce && waiting.length > 0) {
      runningBatches++
      void runAsUser(null, () => runBatch(takeBatch())).finally(() => {
        runningBatches--
        begin()
      })
    }
  }

  return (input) => {
    const { promise, resolve, reject } = Promise.withResolvers<Output>()
    waiting.push({ input, resolve, reject })
    // batches calls of the same tick
    queueMicrotask(begin)
    return promise
  }
}
