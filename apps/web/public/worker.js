// The service worker: takes what other apps of a phone share with Mira, shows what the server has this device told, and
// says that the server is away instead of the browser's own error page. Everything else goes to the network as if it were not there.
const SHARED = 'mira.shared'
const SHARED_WORDS = 'mira.shared-words'
/** More shared files and texts than these never wait at once. */
const MAX_WAITING = 200

// Here and not among the texts of the app: they must be there when nothing can be loaded.
const away = {
  en: [
    'The server can’t be reached',
    'Check the connection, then try again.',
    'Try again',
    'What you shared waits on this device for an hour.',
  ],
  de: [
    'Der Server ist nicht erreichbar',
    'Prüfe die Verbindung und versuche es dann erneut.',
    'Erneut versuchen',
    'Was du geteilt hast, wartet eine Stunde auf diesem Gerät.',
  ],
  es: [
    'No se puede conectar con el servidor',
    'Comprueba la conexión y vuelve a intentarlo.',
    'Reintentar',
    'Lo que has compartido espera una hora en este dispositivo.',
  ],
  fr: [
    'Le serveur est injoignable',
    'Vérifiez la connexion, puis réessayez.',
    'Réessayer',
    'Ce que vous avez partagé attend une heure sur cet appareil.',
  ],
}

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  if (request.method === 'POST' && new URL(request.url).pathname === '/share') {
    // a device without room for it: the screen says so instead of the browser's own error page
    event.respondWith(keepShared(request).catch(() => Response.redirect('/upload?shared=failed', 303)))
  } else if (request.mode === 'navigate') event.respondWith(fetch(request).catch(() => awayPage(new URL(request.url))))
})

self.addEventListener('push', (event) => event.waitUntil(show(event.data)))

/** Shows a notification, unless a page is visible, which shows it itself. */
async function show(data) {
  const { title, body, link, tag, renotify } = data.json()
  const pages = await self.clients.matchAll({ type: 'window' })
  if (pages.some((page) => page.visibilityState === 'visible')) return
  await self.registration.showNotification(title, { body, tag, renotify, data: { link }, icon: '/icon-192.png' })
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.link ?? '/'))
})

/** Opens a path of the app, in a page that is there or in a new one; never anything else. */
async function open(link) {
  const url = new URL(link, self.location.origin)
  if (url.origin !== self.location.origin) return
  const pages = await self.clients.matchAll({ type: 'window' })
  // those that were looked at last come first
  const page = pages.find((one) => one.visibilityState === 'visible') ?? pages[0]
  if (!page) return self.clients.openWindow(url.href)
  await page.focus()
  if (!(await goesItself(page, url.pathname + url.search + url.hash))) await page.navigate(url.href)
}

const ANSWER_MS = 3000

/** Asks a page to go somewhere without reloading, so that what is written on it stays; whether it does. */
function goesItself(page, path) {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => resolve(true)
    setTimeout(() => resolve(false), ANSWER_MS)
    page.postMessage({ open: path }, [port2])
  })
}

/** @param url where the page was to lead: to what was shared, which waits. */
function awayPage({ pathname, search }) {
  const language = navigator.languages.map((name) => name.slice(0, 2)).find((name) => name in away) ?? 'en'
  const [title, text, again, waits] = away[language]
  const shared = pathname === '/upload' && search === '?shared' ? `<p>${waits}</p>` : ''
  const style =
    'body{display:grid;min-height:100dvh;margin:0;place-content:center;justify-items:center;padding:1rem;text-align:center;' +
    'font-family:system-ui,sans-serif;line-height:1.5;color-scheme:light dark;background:light-dark(#f9fafb,#111827);' +
    'color:light-dark(#111827,#f9fafb)}h1{font-size:1.25rem;margin:0}a{padding:.6rem 1rem;border-radius:.5rem;background:#2563eb;' +
    'color:#fff;text-decoration:none}'
  const page = `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <title>Mira</title><style>${style}</style><main><h1>${title}</h1><p>${text}</p>${shared}<a href="">${again}</a></main></html>`
  return new Response(page, {
    status: 503,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    },
  })
}

/** Stores shared files and words for the upload screen, which asks before anything is saved: any website can post here. */
async function keepShared(request) {
  const form = await request.formData()
  const files = form.getAll('files').filter((file) => file instanceof File)
  const words = Object.fromEntries(
    ['title', 'text', 'url'].map((name) => [name, typeof form.get(name) === 'string' ? form.get(name) : '']),
  )
  // the title that comes with files is theirs
  if (words.text + words.url + (files.length > 0 ? '' : words.title) !== '') {
    files.push(new File([JSON.stringify(words)], SHARED_WORDS, { type: 'application/json' }))
  }
  const cache = await caches.open(SHARED)
  const waiting = await cache.keys()
  if (waiting.length + files.length > MAX_WAITING) throw new Error('Too many shared files are waiting')
  for (const file of files) {
    const headers = {
      'content-type': file.type || 'application/octet-stream',
      'x-name': encodeURIComponent(file.name),
      'x-shared-at': String(Date.now()),
    }
    await cache.put(`/shared/${crypto.randomUUID()}`, new Response(file, { headers }))
  }
  return Response.redirect('/upload?shared', 303)
}
