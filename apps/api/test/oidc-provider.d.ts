declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  /** The part of the provider that tests use. */
  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    callback(): RequestListener
    interactionDetails(
      request: unknown,
      response: unknown,
    ): Promise<{ uid: string; prompt: { name: string }; params: Record<string, unknown> }>
  }
}
