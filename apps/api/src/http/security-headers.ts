import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'

/**
 * A content security policy under which only the product's own files run, and the scripts that its built page holds, by
 * their hashes; styles may also carry this response's nonce.
 */
function contentSecurityPolicy(nonce: string, scriptHashes: readonly string[]): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scriptHashes].join(' '),
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    "media-src 'self' blob: data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    // the sandbox alone, which its own policy shuts off; frames cannot go elsewhere either
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // no text becomes markup or code but what the page's one policy lets through (`lib/trusted-types.ts` of the web app)
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ')
}

/**
 * Sends the page's policy and returns the nonce that its injected styles must carry.
 * @param page as it was built: what is filled in later cannot bring a script along
 */
export function setPagePolicy(reply: FastifyReply, page: string, extraConnectSource?: string): string {
  const nonce = randomBytes(16).toString('base64')
  const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, code = '']) => code)
  const policy = contentSecurityPolicy(nonce, scripts.map(hashSource))
  reply.header(
    'content-security-policy',
    extraConnectSource ? policy.replace("connect-src 'self'", `connect-src 'self' ${extraConnectSource}`) : policy,
  )
  return nonce
}

function hashSource(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`
}

/** What a document may that shows what answers hold: run what is in it, with an origin of its own and without any network. */
const SANDBOX_POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'media-src data: blob:',
  'font-src data:',
  'worker-src blob:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ')

/** The same where Python runs: it is a compiled program, which the document is handed and imports as what it made itself. */
const PYTHON_SANDBOX_POLICY = SANDBOX_POLICY.replace("'unsafe-inline'", "'unsafe-inline' blob: 'wasm-unsafe-eval'")

/** Shuts a document off that runs what a model wrote; only the product's own pages may frame it. */
export function setSandboxPolicy(reply: FastifyReply, { runsPython }: { runsPython: boolean }): void {
  reply.headers({
    'content-security-policy': runsPython ? PYTHON_SANDBOX_POLICY : SANDBOX_POLICY,
    'x-frame-options': 'SAMEORIGIN',
    // a name that is looked up would tell somebody
    'x-dns-prefetch-control': 'off',
  })
}

/**
 * Lets the worker that tells speech from other sounds compile its network, which the page itself may not, and fetch it from this
 * server.
 */
export function setVoiceWorkerPolicy(reply: FastifyReply): void {
  reply.header(
    'content-security-policy',
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
  )
}

/** Lets the service worker ask this server, and nobody else, for what the page asked it for. */
export function setWorkerPolicy(reply: FastifyReply): void {
  reply.header('content-security-policy', "default-src 'none'; connect-src 'self'")
}

const YEAR_SECONDS = 31_536_000

/**
 * Headers of every answer; a route that serves a page replaces the policy, which otherwise lets nothing run.
 * @param options.isHttps whether people reach the server by https alone: browsers then never try anything else.
 */
export function setSecurityHeaders(app: FastifyInstance, { isHttps }: { isHttps: boolean }): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      ...(isHttps ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` } : {}),
      'permissions-policy': 'camera=(), geolocation=(), microphone=(self)',
    })
  })
  app.addHook('onSend', async (_request, reply) => {
    // what may be kept says so itself
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
}
