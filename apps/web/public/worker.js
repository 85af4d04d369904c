// The service worker: receives files and text shared from other apps, shows push notifications, and shows its own page
// while the server is unreachable. Other requests go to the network unchanged.
const SHARED = 'mira.shared'
const SHARED_WORDS = 'mira.shared-words'
/** Maximum number of shared files and texts waiting to be uploaded. */
const MAX_WAITING = 200

// Not in the app's message files, because they're needed when nothing can be loaded.
const away = {
  en: [
    'The server can’t be reached',
    'Check the connection, then try again.',
    'Try again',
    'Your shared items stay on this device for an hour.',
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
    // When the device has no space left, the upload screen says so.
    event.respondWith(keepShared(request).catch(() => Response.redirect('/upload?shared=failed', 303)))
  } else if (request.mode === 'navigate') event.respondWith(fetch(request).catch(() => awayPage(new URL(request.url))))
})

self.addEventListener('push', (event) => event.waitUntil(show(event.data)))

/**
 * Shows a notification; silently and only for a moment while a page is visible, since the page shows it itself. Safari ends the
 * subscription after three messages for which nothing was shown.
 */
async function show(data) {
  const { title, body, link, tag, renotify } = data.json()
  const pages = await self.clients.matchAll({ type: 'window' })
  const isSilent = pages.some((page) => page.visibilityState === 'visible')
  await self.registration.showNotification(title, {
    ...{ body, tag, data: { link }, icon: '/icon-192.png' },
    ...(isSilent ? { silent: true } : { renotify }),
  })
  if (!isSilent) return
  for (const notification of await self.registration.getNotifications({ tag })) notification.close()
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.link ?? '/'))
})

/** Opens a path of the app in an open page or in a new one; ignores other origins. */
async function open(link) {
  const url = new URL(link, self.location.origin)
  if (url.origin !== self.location.origin) return
  const pages = await self.clients.matchAll({ type: 'window' })
  // The most recently focused page comes first.
  const page = pages.find((one) => one.visibilityState === 'visible') ?? pages[0]
  if (!page) return self.clients.openWindow(url.href)
  await page.focus()
  if (!(await goesItself(page, url.pathname + url.search + url.hash))) await page.navigate(url.href)
}

const ANSWER_MS = 3000

/** Asks a page to navigate without reloading, which keeps unsaved input. @returns true when the page has done so */
function goesItself(page, path) {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => resolve(true)
    setTimeout(() => resolve(false), ANSWER_MS)
    page.postMessage({ open: path }, [port2])
  })
}

/** The page shown while the server is unreachable; mentions shared items when they're waiting. */
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

/** Stores shared files and text for the upload screen. It asks before saving anything, because any website can post here. */
async function keepShared(request) {
  const form = await request.formData()
  const files = form.getAll('files').filter((file) => file instanceof File)
  const words = Object.fromEntries(
    ['title', 'text', 'url'].map((name) => [name, typeof form.get(name) === 'string' ? form.get(name) : '']),
  )
  // A title sent with files names the files.
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
