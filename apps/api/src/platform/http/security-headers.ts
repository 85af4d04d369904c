import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'

/**
 * Content security policy that only allows the product's own files, the built page's inline scripts (by hash), and styles
 * with this response's nonce.
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
    // only for the sandbox page, which has its own strict policy
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // strings only become markup or code through the page's single policy (`lib/trusted-types.ts` of the web app)
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ')
}

/**
 * Sets the page's policy and returns the nonce for its injected styles.
 * @param page as built, so that content filled in later can't add a script
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
 * Additional script sources of the sandbox by query; without a query, only its own script runs.
 * - `diagram`: the diagram library, which the page receives and loads as a blob
 * - `python`: Pyodide, which it receives the same way, and which is WebAssembly
 * - `run`: a page that an answer contains, after a click on "Run"
 */
const SANDBOX_SCRIPTS: Readonly<Record<string, string>> = {
  diagram: 'blob:',
  python: "blob: 'wasm-unsafe-eval'",
  run: "'unsafe-inline'",
}

/**
 * Isolates the document that shows or runs a model's output: an opaque origin, no network, and only the scripts that its
 * query allows. Only the product's own pages may frame it.
 * @param page as built; its own script is allowed by hash
 * @param query of its URL, without the question mark
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
 * Lets the voice activity worker compile its neural network (WebAssembly), which the page itself may not, and fetch it from
 * this server.
 */
export function setVoiceWorkerPolicy(reply: FastifyReply): void {
  reply.header(
    'content-security-policy',
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
  )
}

/** Lets the service worker connect to this server only. */
export function setWorkerPolicy(reply: FastifyReply): void {
  reply.header('content-security-policy', "default-src 'none'; connect-src 'self'")
}

/** Keeps the window that opened this one reachable: programs ask for access in a pop-up, and wait for what it returns. */
export function allowOpener(reply: FastifyReply): void {
  reply.header('cross-origin-opener-policy', 'unsafe-none')
}

const YEAR_SECONDS = 31_536_000

/**
 * Sets the security headers of every response; routes that serve pages replace the policy, which otherwise allows nothing.
 * @param options.isHttps true when the server is only reached over HTTPS: browsers then never use plain HTTP.
 */
export function setSecurityHeaders(app: FastifyInstance, { isHttps }: { isHttps: boolean }): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      // prefetching host names of links could leak data through a link in an answer
      'x-dns-prefetch-control': 'off',
      'cross-origin-opener-policy': 'same-origin',
      ...(isHttps ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` } : {}),
      'permissions-policy': 'camera=(), geolocation=(), microphone=(self)',
    })
  })
  app.addHook('onSend', async (_request, reply) => {
    // cacheable responses set their own header
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
}
