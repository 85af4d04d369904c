import { Prisma } from '../../db/generated/client.ts'
import { ConflictError } from '../../errors.ts'

/** Tells, of a write that failed, which name of an account is taken, without regard to case; anything else is thrown on. */
export function throwAsConflict(fields: { username?: string; email?: string }) {
  return (error: unknown): never => {
    const index = violatedIndex(error)
    if (index === 'users_username_lower_key') throw taken('username', `The username “${fields.username}” is taken.`)
    if (index === 'users_email_lower_key') throw taken('email', `The email address “${fields.email}” is taken.`)
    throw error
  }
}

function taken(path: 'username' | 'email', message: string): ConflictError {
  return new ConflictError(message, { code: `${path}_taken`, errors: [{ path, message }] })
}

/** The adapter's only report of the index that refused a row, for indexes over expressions. */
interface AdapterErrorMeta {
  driverAdapterError?: { cause?: { constraint?: { index?: string } } }
}

function violatedIndex(error: unknown): string | undefined {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError) || error.code !== 'P2002') return undefined
  return (error.meta as AdapterErrorMeta | undefined)?.driverAdapterError?.cause?.constraint?.index
}
