import { randomUUID } from 'node:crypto'
import { cutText } from '@mira/shared/constants/cut-text'
import { z } from 'zod'
import { BadRequestError } from '../../../errors.ts'
import type { WebFetcher } from '../../../platform/net/web-fetcher.ts'
import type { OAuthClient, OAuthStore } from './oauth.store.ts'

const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost']

/** Redirect URI of the editor Cursor. A program that hijacked its scheme would still lack the PKCE verifier. */
const CURSOR_REDIRECT_URI = 'cursor://anysphere.cursor-mcp/oauth/callback'

const isLoopback = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname)

/** True for an allowed redirect URI: https, http on the user's own machine, or Cursor's, without ambiguous characters. */
function isAllowedRedirectUri(text: string): boolean {
  if (text.length > 2000 || /[\s\p{C}\\<>"'`{}|^]/u.test(text) || !URL.canParse(text)) return false
  const url = new URL(text)
  if (url.hash !== '' || text.includes('#') || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || isLoopback(url) || text === CURSOR_REDIRECT_URI
}

/**
 * True when a program registered exactly this redirect URI; on the user's own machine, the port may differ each time (RFC
 * 8252, 7.3).
 */
export function isRegisteredRedirectUri(text: string, registered: readonly string[]): boolean {
  if (registered.includes(text)) return true
  const uriWithoutPort = withoutPort(text)
  return uriWithoutPort !== null && registered.some((uri) => withoutPort(uri) === uriWithoutPort)
}

/** A redirect URI on the user's own machine, without its port; null for any other. */
function withoutPort(text: string): string | null {
  if (!isAllowedRedirectUri(text)) return null
  const url = new URL(text)
  if (!isLoopback(url)) return null
  url.port = ''
  return url.href
}

const MAX_REDIRECT_URIS = 10
const MAX_NAME_CHARACTERS = 100
/** Maximum number of clients that no user has approved yet; another one replaces the oldest. */
const MAX_UNAPPROVED_CLIENTS = 1_000
const DOCUMENT_MAX_BYTES = 32 * 1024
const DOCUMENT_TIMEOUT_MS = 5_000
/** Time after which a client's metadata document is read again. */
const DOCUMENT_FRESH_MS = 60 * 60_000

const webAddressSchema = z
  .string()
  .max(2000)
  .regex(/^https?:\/\/[^\s"'<>]+$/i)

/** Supported fields of the client metadata in RFC 7591. */
const metadataSchema = z.object({
  client_name: z.string().trim().max(1000).optional(),
  client_uri: webAddressSchema.optional().catch(undefined),
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECT_URIS),
  grant_types: z.array(z.string()).max(20).optional(),
  response_types: z.array(z.string()).max(20).optional(),
})

const documentSchema = metadataSchema.extend({ client_id: z.string(), client_name: z.string().trim().min(1).max(1000) })

export type ClientsService = ReturnType<typeof createClientsService>

/** Programs that ask users for access: registered programs, and programs whose id is the URL of their metadata document. */
export function createClientsService(deps: {
  store: OAuthStore
  fetcher: Pick<WebFetcher, 'get'>
  now?: () => number
}) {
  const { store, fetcher, now = Date.now } = deps

  /**
   * Stores a client as its metadata document describes it.
   * @throws BadRequestError when the document can't be loaded or isn't this program's.
   */
  const registerFromDocument = async (url: string, caller: string): Promise<OAuthClient> => {
    const limits = { types: ['application/json'], maxBytes: DOCUMENT_MAX_BYTES, timeoutMs: DOCUMENT_TIMEOUT_MS }
    const response = await fetcher.get(url, { ...limits, caller })
    // A redirect target can't vouch for the program.
    if (!response.isOk || response.url !== url) {
      throw unknownClient("The program's metadata could not be read at its address.")
    }
    const document = documentSchema.safeParse(parseJson(response.body.toString('utf8')))
    if (!document.success || document.data.client_id !== url) {
      throw unknownClient("The program's metadata at its address is invalid.")
    }
    await store.removeOldestUnapproved(MAX_UNAPPROVED_CLIENTS - 1)
    return store.upsertClient({ ...fieldsOf(document.data), clientId: url, metadataFetchedAt: new Date(now()) })
  }

  return {
    /**
     * Registers a program (RFC 7591) without a secret; its codes are bound to redirect URIs and PKCE instead.
     * @throws BadRequestError with an OAuth error code.
     */
    async register(metadata: unknown) {
      const parsed = metadataSchema.safeParse(metadata)
      if (!parsed.success) {
        const hasInvalidRedirectUri = parsed.error.issues.some(({ path }) => path[0] === 'redirect_uris')
        const firstIssue = parsed.error.issues[0]
        throw new BadRequestError(
          `${firstIssue?.path.join('.') || 'The body'}: ${firstIssue?.message ?? 'is invalid'}`,
          {
            code: hasInvalidRedirectUri ? 'invalid_redirect_uri' : 'invalid_client_metadata',
          },
        )
      }
      const { grant_types: grantTypes, response_types: responseTypes } = parsed.data
      if (grantTypes?.includes('authorization_code') === false || responseTypes?.includes('code') === false) {
        throw new BadRequestError('Only the grant type authorization_code and the response type code are supported.', {
          code: 'invalid_client_metadata',
        })
      }
      const fields = fieldsOf(parsed.data)
      await store.removeOldestUnapproved(MAX_UNAPPROVED_CLIENTS - 1)
      const { clientId } = await store.upsertClient({ ...fields, clientId: randomUUID(), metadataFetchedAt: null })
      return {
        client_id: clientId,
        client_id_issued_at: Math.floor(now() / 1000),
        client_name: fields.name,
        ...(fields.uri === null ? {} : { client_uri: fields.uri }),
        redirect_uris: fields.redirectUris,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      }
    },

    /**
     * A client that registered itself; null when the id is the URL of a metadata document.
     * @throws BadRequestError (`invalid_client`) for an unknown id.
     */
    async findRegistered(clientId: string): Promise<OAuthClient | null> {
      if (isDocumentUrl(clientId)) return null
      const client = await store.findClient(clientId)
      if (client === null) throw notRegistered()
      return client
    },

    /**
     * The client with an id. May fetch its metadata document, so it's called only for signed-in users.
     * @throws BadRequestError (`invalid_client`) when there's no such client.
     */
    async find(clientId: string, { userId }: { userId: string }): Promise<OAuthClient> {
      const client = await store.findClient(clientId)
      if (
        client !== null &&
        (client.metadataFetchedAt === null || now() - client.metadataFetchedAt.getTime() < DOCUMENT_FRESH_MS)
      ) {
        return client
      }
      if (!isDocumentUrl(clientId)) {
        throw notRegistered()
      }
      return registerFromDocument(clientId, userId)
    },
  }
}

/**
 * True for an id that may be the URL of a client's metadata document: https, with a path, without credentials, query or
 * fragment.
 */
function isDocumentUrl(clientId: string): boolean {
  if (clientId.length > 500 || !URL.canParse(clientId)) return false
  const { href, protocol, pathname, username, password, hash, search } = new URL(clientId)
  const isPlain = username === '' && password === '' && hash === '' && search === ''
  return href === clientId && protocol === 'https:' && pathname !== '/' && isPlain
}

/** @throws BadRequestError (`invalid_redirect_uri`) when a redirect URI isn't allowed. */
function fieldsOf(metadata: z.output<typeof metadataSchema>) {
  if (!metadata.redirect_uris.every(isAllowedRedirectUri)) {
    throw new BadRequestError(
      'Redirect addresses must begin with https://, or with http:// on the user’s own machine (127.0.0.1, [::1], ' +
        'localhost), and have no fragment.',
      { code: 'invalid_redirect_uri' },
    )
  }
  const redirectUris = [...new Set(metadata.redirect_uris)]
  const host = new URL(redirectUris[0] ?? '').host
  // Invisible characters, and characters that change the writing direction, could make a program look like another.
  const name = (metadata.client_name ?? '').replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim()
  return { name: cutText(name, MAX_NAME_CHARACTERS) || host, uri: metadata.client_uri ?? null, redirectUris }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The schema rejects null.
    return null
  }
}

export function notRegistered(): BadRequestError {
  return unknownClient('This program isn’t registered here. Connect it again from the program itself.')
}

function unknownClient(message: string): BadRequestError {
  return new BadRequestError(message, { code: 'invalid_client' })
}
