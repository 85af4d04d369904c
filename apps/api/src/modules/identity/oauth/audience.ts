import type { FastifyRequest } from 'fastify'
import type { Audience } from './authorizing.service.ts'

/** Path of the Model Context Protocol. */
const RESOURCE_PATH = '/mcp'

/** Makes the function that says as whom this server is asked: PUBLIC_URL, else the address that the request came to. */
export function createAudienceOf(publicUrl: string | undefined): (request: FastifyRequest) => Audience {
  return ({ protocol, host }) => {
    const issuer = publicUrl ?? originOf(`${protocol}://${host}`)
    return { issuer, resource: issuer + RESOURCE_PATH }
  }
}

/** The address of the document about the resource: its path stands behind the well-known one (RFC 9728, 3.1). */
export function resourceMetadataOf({ resource }: Audience): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}/.well-known/oauth-protected-resource${pathname}`
}

/** A caller may name any host, also one that is none. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'http://localhost'
}
