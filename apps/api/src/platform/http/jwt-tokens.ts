import type { JWT } from '@fastify/jwt'
import { z } from 'zod'

const claimsSchema = z.object({ sub: z.uuid(), jti: z.uuid() })

/** The session behind a token, and whose it is. */
interface TokenSubject {
  userId: string
  sessionId: string
}

/** Writes and reads the tokens of sessions; who the user is and what they may do is never read from them. */
interface JwtTokens {
  sign(session: TokenSubject): string
  /** Null when the token is not ours or has expired. */
  verify(token: string): TokenSubject | null
}

/** Makes tokens whose `jti` is the session's id and whose `sub` is the user's. */
export function createJwtTokens(jwt: JWT, { lifetimeSeconds }: { lifetimeSeconds: number }): JwtTokens {
  return {
    sign: ({ userId, sessionId }) =>
      jwt.sign({}, { sub: userId, jti: sessionId, expiresIn: `${lifetimeSeconds}s`, algorithm: 'HS256' }),
    verify(token) {
      try {
        const { sub, jti } = claimsSchema.parse(jwt.verify(token, { algorithms: ['HS256'] }))
        return { userId: sub, sessionId: jti }
      } catch {
        // whatever is wrong with it, it opens nothing
        return null
      }
    },
  }
}
