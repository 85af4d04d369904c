import type { JWT } from '@fastify/jwt'
import { z } from 'zod'

const claimsSchema = z.object({ sub: z.uuid(), jti: z.uuid() })

/** The session of a token, and its user. */
interface TokenSubject {
  userId: string
  sessionId: string
}

/** Creates and verifies session tokens; the user's data and permissions are never read from them. */
interface JwtTokens {
  sign(session: TokenSubject): string
  /** The session and user of a token; null when it's invalid or expired. */
  verify(token: string): TokenSubject | null
}

/** Tokens have the session's id as `jti` and the user's as `sub`. */
export function createJwtTokens(jwt: JWT, { lifetimeSeconds }: { lifetimeSeconds: number }): JwtTokens {
  return {
    sign: ({ userId, sessionId }) =>
      jwt.sign({}, { sub: userId, jti: sessionId, expiresIn: `${lifetimeSeconds}s`, algorithm: 'HS256' }),
    verify(token) {
      try {
        const { sub, jti } = claimsSchema.parse(jwt.verify(token, { algorithms: ['HS256'] }))
        return { userId: sub, sessionId: jti }
      } catch {
        // an invalid token grants nothing, whatever is wrong with it
        return null
      }
    },
  }
}
