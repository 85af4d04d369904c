import pg from 'pg'

interface Asked {
  text: string
  values: string
}

/** Counts of database statements about a subject. */
export interface StatementCounts {
  /** All of them, those that begin and end transactions, too. */
  statements: number
  /** Transactions of several statements. */
  transactions: number
}

/** Counts what every connection of this process is asked for from now on, whoever asks: stores, Prisma, the queue. */
export function countStatements() {
  const byClient = new Map<pg.Client, Asked[]>()
  const original = pg.Client.prototype.query
  const counting = function (this: pg.Client, ...given: unknown[]) {
    const [first, second] = given
    const { text, values = second } = typeof first === 'string' ? { text: first } : (first as pg.QueryConfig)
    const asked = byClient.get(this) ?? []
    byClient.set(this, asked)
    asked.push({ text, values: typeof values === 'function' ? '' : JSON.stringify(values ?? '') })
    return Reflect.apply(original, this, given)
  }
  pg.Client.prototype.query = counting as typeof original
  return {
    /** All so far, of each connection in their order. */
    texts: (): string[] => [...byClient.values()].flatMap((asked) => asked.map(({ text }) => text)),
    /**
     * Counts statements with one of these names among their values, including the other statements of their
     * transactions,
     * except those left out.
     */
    about(names: string[], isLeftOut: (text: string) => boolean): StatementCounts {
      const units = [...byClient.values()].flatMap(inUnits)
      const counted = units
        .map((unit) => unit.filter(({ text }) => !isLeftOut(text)))
        .filter((unit) => unit.some(({ values }) => names.some((name) => values.includes(name))))
      return {
        statements: counted.reduce((sum, unit) => sum + unit.length, 0),
        transactions: counted.filter(({ length }) => length > 1).length,
      }
    },
    stop() {
      pg.Client.prototype.query = original
    },
  }
}

/** Each transaction, and each statement that stands alone. */
function inUnits(asked: Asked[]): Asked[][] {
  const units: Asked[][] = []
  let isOpen = false
  for (const one of asked) {
    if (isOpen) units.at(-1)?.push(one)
    else units.push([one])
    if (/^\s*BEGIN/i.test(one.text)) isOpen = true
    else if (/^\s*(COMMIT|ROLLBACK)/i.test(one.text)) isOpen = false
  }
  return units
}
