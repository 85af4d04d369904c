import pg from 'pg'

interface Statement {
  text: string
  values: string
}

/** Counts of database statements about a subject. */
export interface StatementCounts {
  /** All statements, including those that begin and end transactions. */
  statements: number
  /** Transactions of several statements. */
  transactions: number
}

/** Counts the statements of all connections of this process from now on: those of stores, Prisma and the queue. */
export function countStatements() {
  const byClient = new Map<pg.Client, Statement[]>()
  const original = pg.Client.prototype.query
  const counting = function (this: pg.Client, ...args: unknown[]) {
    const [first, second] = args
    const { text, values = second } = typeof first === 'string' ? { text: first } : (first as pg.QueryConfig)
    const statements = byClient.get(this) ?? []
    byClient.set(this, statements)
    statements.push({ text, values: typeof values === 'function' ? '' : JSON.stringify(values ?? '') })
    return Reflect.apply(original, this, args)
  }
  pg.Client.prototype.query = counting as typeof original
  return {
    /** All statements so far, in order within each connection. */
    texts: (): string[] => [...byClient.values()].flatMap((statements) => statements.map(({ text }) => text)),
    /**
     * Counts statements with one of these names among their values, and the other statements of their transactions, except
     * those that `isLeftOut` matches.
     */
    countMentioning(names: string[], isExcluded: (text: string) => boolean): StatementCounts {
      const units = [...byClient.values()].flatMap(inUnits)
      const counted = units
        .map((unit) => unit.filter(({ text }) => !isExcluded(text)))
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

/** Groups the statements of each transaction; every other statement is a group. */
function inUnits(statements: Statement[]): Statement[][] {
  const units: Statement[][] = []
  let isOpen = false
  for (const one of statements) {
    if (isOpen) units.at(-1)?.push(one)
    else units.push([one])
    if (/^\s*BEGIN/i.test(one.text)) isOpen = true
    else if (/^\s*(COMMIT|ROLLBACK)/i.test(one.text)) isOpen = false
  }
  return units
}
