import { createAddressJudge, Problem } from './address-judge.ts'
import { createGuardedFetch, isForbiddenAddress } from './guarded-fetch.ts'
import { resolveForUsers } from './name-resolver.ts'
import { isPublicAddress } from './public-address.ts'

/**
 * A `fetch` for servers that people connect for themselves: public addresses alone, judged by the very ones that are connected
 * to, and hosts that an administrator listed, wherever these are. Redirects are not followed.
 */
export function createSafeFetch({ allowedHosts }: { allowedHosts: readonly string[] }) {
  const judge = createAddressJudge(allowedHosts)
  const listed = createGuardedFetch()
  const others = createGuardedFetch({
    resolve: (hostname) => resolveForUsers(hostname),
    isForbidden: (address) => isForbiddenAddress(address) || !isPublicAddress(address),
  })

  const mayAsk = (url: string): boolean => {
    try {
      judge(url)
      return true
    } catch (error) {
      if (error instanceof Problem) return false
      throw error
    }
  }

  return {
    fetch: (async (input, init) => {
      const url = input instanceof Request ? input.url : String(input)
      if (!mayAsk(url))
        throw Object.assign(new Error('the address may not be reached'), { code: 'ERR_ADDRESS_FORBIDDEN' })
      const { isTrusted } = judge(url)
      return (isTrusted ? listed : others)(input, init)
    }) satisfies typeof fetch,

    /** Checks a URL without resolving it; host names are checked on resolution. */
    mayAsk,
  }
}
