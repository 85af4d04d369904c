import { readFile, stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { BadRequestError, NotFoundError, UnavailableError } from '../../errors.ts'
import {
  allowOpener,
  setPagePolicy,
  setSandboxPolicy,
  setVoiceWorkerPolicy,
  setWorkerPolicy,
} from './security-headers.ts'

/** The web app's `public/worker.js`. */
const SERVICE_WORKER = 'worker.js'
/** Its `public/sandbox.html`, which shows contents of answers. */
const SANDBOX = 'sandbox.html'

/** Build output of `lib/voice-activity-worker.ts`. */
const VOICE_WORKER = /^assets\/voice-activity-worker-[\w-]+\.js$/

/** Page that a program may open in a pop-up, to ask for access. Others lead into the app, which no window may reach. */
const CONSENT_PAGE = 'connect'

interface WebAppOptions {
  /** Vite's output folder. */
  distDir: string
  assistantName: () => string
}

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Fills empty attributes of the built page; the keys are each tag's beginning up to the attribute. */
function fillAttributes(html: string, values: Record<string, string>): string {
  return Object.entries(values).reduce(
    (page, [attribute, value]) =>
      page.replace(
        new RegExp(`(${attribute}=")[^"]*(")`),
        (_all, before: string, after: string) => before + escapeAttribute(value) + after,
      ),
    html,
  )
}

/** Decoded path of a request without query and leading slash; null when it's malformed. */
function filePath(url: string): string | null {
  try {
    return decodeURIComponent(url.split('?', 1)[0] ?? '').slice(1)
  } catch {
    return null
  }
}

/** Serves the built web app: its files, and its page for every other path that a browser opens. */
export async function serveWebApp(app: FastifyInstance, { distDir, assistantName }: WebAppOptions): Promise<void> {
  const indexFile = join(distDir, 'index.html')
  // an update replaces files under a running server, so each is looked up on request
  const isFile = async (path: string): Promise<boolean> => {
    if (path === 'index.html' || /^[./]|[\\\0]/.test(path) || posix.normalize(path) !== path) return false
    return (await stat(join(distDir, path)).catch(nullWhenMissing))?.isFile() ?? false
  }
  // the build wrote compressed copies next to hashed files
  await app.register(fastifyStatic, { root: distDir, serve: false, cacheControl: false, preCompressed: true })

  // the service worker handles shares from other apps; until it runs, a page says so
  app.post('/share', { config: { access: 'public' } }, async (_request, reply) =>
    reply.redirect('/upload?shared=too-early', 303),
  )

  app.get('/*', { config: { access: 'public' } }, async (request, reply) => {
    const path = filePath(request.url)
    if (path === null) throw new BadRequestError('This address is malformed.')
    if (await isFile(path)) {
      if (path === SERVICE_WORKER) setWorkerPolicy(reply)
      if (VOICE_WORKER.test(path)) setVoiceWorkerPolicy(reply)
      if (path === SANDBOX) {
        const page = await readFile(join(distDir, path), 'utf8')
        setSandboxPolicy(reply, page, request.url.split('?')[1] ?? '')
      }
      const lifetime = path.startsWith('assets/') ? 'max-age=31536000, immutable' : 'max-age=300'
      return reply.header('cache-control', `public, ${lifetime}`).sendFile(path)
    }
    const wantsPage = path === '' || (request.headers.accept?.includes('text/html') ?? false)
    if (path === 'api' || path.startsWith('api/') || path.startsWith('assets/') || !wantsPage) {
      throw new NotFoundError('There is nothing at this address.')
    }
    const page = await readFile(indexFile, 'utf8').catch(nullWhenMissing)
    if (page === null) {
      throw new UnavailableError('The web app is not built yet. Run `npm run build`, then open this page again.')
    }
    if (path === CONSENT_PAGE) allowOpener(reply)
    // shared conversations are only for people with the link
    if (path.startsWith('s/')) reply.header('x-robots-tag', 'noindex, nofollow')
    const filled = fillAttributes(page, {
      '<meta name="csp-nonce" content': setPagePolicy(reply, page),
      '<meta name="mira-assistant-name" content': assistantName(),
      '<span data-assistant-name': assistantName(),
    })
    return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(filled)
  })
}

function nullWhenMissing(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return null
  throw error
}
