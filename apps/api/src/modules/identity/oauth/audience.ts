import type { FastifyRequest } from 'fastify'
import type { Audience } from './authorizing.service.ts'

/** Path of the Model Context Protocol. */
const RESOURCE_PATH = '/mcp'

/** This server as its client knows it: PUBLIC_URL, otherwise the address that the request came to. */
export function audienceOf({ protocol, host }: FastifyRequest, publicUrl: string | null): Audience {
  const issuer = publicUrl ?? originOf(`${protocol}://${host}`)
  return { issuer, resource: issuer + RESOURCE_PATH }
}

/** Address of the resource's metadata: its path follows the well-known one (RFC 9728, 3.1). */
export function resourceMetadataOf({ resource }: Audience): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}/.well-known/oauth-protected-resource${pathname}`
}

/** A client may send any host, even an invalid one. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'http://localhost'
}
