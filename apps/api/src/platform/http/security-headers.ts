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
export function setPagePolicy(reply: FastifyReply, page: string): string {
  const nonce = randomBytes(16).toString('base64')
  reply.header('content-security-policy', contentSecurityPolicy(nonce, inlineScriptHashes(page)))
  return nonce
}

function inlineScriptHashes(page: string): string[] {
  return [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, code = '']) => hashSource(code))
}

function hashSource(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`
}

/**
 * Extra script sources of the sandbox by its query; without one only its own script runs.
 * - `diagram`: the library that draws, which the document is handed and loads as a blob
 * - `python`: Pyodide, which it is handed as well, and which is a compiled program
 * - `run`: a page of an answer, once somebody has clicked "Run"
 */
const SANDBOX_SCRIPTS: Readonly<Record<string, string>> = {
  diagram: 'blob:',
  python: "blob: 'wasm-unsafe-eval'",
  run: "'unsafe-inline'",
}

/**
 * Shuts a document off that shows or runs what a model wrote: an origin of its own, no network, and no scripts but those that its
 * query stands for. Only the product's own pages may frame it.
 * @param page as it was built; its own script is let in by its hash
 * @param query of its address, without the question mark
 */
export function setSandboxPolicy(reply: FastifyReply, page: string, query: string): void {
  const extra = Object.hasOwn(SANDBOX_SCRIPTS, query) ? SANDBOX_SCRIPTS[query] : undefined
  // with a hash, browsers ignore 'unsafe-inline'
  const scripts = query === 'run' ? [extra] : [...inlineScriptHashes(page), extra]
  reply.headers({
    'content-security-policy': [
      'sandbox allow-scripts',
      "default-src 'none'",
      ['script-src', ...scripts.filter((source) => source !== undefined)].join(' '),
      "style-src 'unsafe-inline'",
      'img-src data: blob:',
      'media-src data: blob:',
      'font-src data:',
      'worker-src blob:',
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'self'",
    ].join('; '),
    'x-frame-options': 'SAMEORIGIN',
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
      // browsers look up the names of links that nobody has clicked, which a link of an answer could use to tell somebody
      'x-dns-prefetch-control': 'off',
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
