import { runAsUser } from './current-user.ts'

interface Waiting<Input, Output> {
  input: Input
  resolve(output: Output): void
  reject(error: unknown): void
}

/**
 * Joins calls of work that takes many inputs at once as easily as one: those that come while others are under way wait for
 * them, and are done together. Where nothing is under way, a call doesn't wait.
 * @param max bound on the sizes of joined inputs; a larger one is done alone.
 * @param work returns an output for each input, in their order. It belongs to no user, as it may serve several.
 * @param concernsInput true for a failure that one of the inputs may cause: each is tried alone then, so that nobody fails
 * because of another's input.
 */
export function joinCalls<Input, Output>(
  work: (inputs: Input[]) => Promise<Output[]>,
  {
    atOnce,
    max,
    sizeOf = () => 1,
    concernsInput,
  }: { atOnce: number; max: number; sizeOf?(input: Input): number; concernsInput(error: unknown): boolean },
): (input: Input) => Promise<Output> {
  const waiting: Waiting<Input, Output>[] = []
  let underWay = 0

  const settle = async (all: Waiting<Input, Output>[]): Promise<void> => {
    try {
      const outputs = await work(all.map(({ input }) => input))
      for (const [index, { resolve }] of all.entries()) resolve(outputs[index] as Output)
    } catch (error) {
      if (all.length > 1 && concernsInput(error)) for (const one of all) await settle([one])
      else for (const { reject } of all) reject(error)
    }
  }

  const takeSome = () => {
    let size = 0
    const end = waiting.findIndex(({ input }, index) => {
      size += sizeOf(input)
      return index > 0 && size > max
    })
    return waiting.splice(0, end === -1 ? waiting.length : end)
  }

  const begin = () => {
    while (underWay < atOnce && waiting.length > 0) {
      underWay++
      void runAsUser(null, () => settle(takeSome())).finally(() => {
        underWay--
        begin()
      })
    }
  }

  return (input) => {
    const { promise, resolve, reject } = Promise.withResolvers<Output>()
    waiting.push({ input, resolve, reject })
    // calls of the same moment go together
    queueMicrotask(begin)
    return promise
  }
}
