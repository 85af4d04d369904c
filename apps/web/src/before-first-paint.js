// Runs before the first paint. Sets the theme, which avoids a flash of the wrong one, and requests what the screen needs in
// parallel with the first script: message files, scripts, the signed-in user, and the first items of the gallery.
;(() => {
  let stored = null
  let token = null
  let settings = null
  try {
    stored = localStorage.getItem('theme')
    token = localStorage.getItem('token')
    settings = localStorage.getItem('settings')
  } catch {
    // Storage may be blocked; use the system's preference then.
  }
  const systemTheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  const theme = stored === 'light' || stored === 'dark' ? stored : systemTheme
  document.documentElement.dataset.theme = theme
  document.querySelector('meta[name="theme-color"]').content = theme === 'dark' ? '#1f2937' : '#2563eb'
  const files = document.querySelector('meta[name="signed-in-files"]')
  if (files === null) return

  const { all, router, texts, screens } = JSON.parse(files.content)
  let chosen = null
  try {
    chosen = JSON.parse(settings)
  } catch {
    // The app reports corrupt settings; use the browser's languages here.
  }
  const spoken = navigator.languages.map((tag) => tag.split('-')[0].toLowerCase())
  const language = [chosen?.language, ...spoken, 'en'].find((one) => Object.hasOwn(texts, one))
  const [, screen, part] = location.pathname.split('/')
  if (token === null) {
    // Only the sign-in screen works without the router.
    const isSignIn = part === undefined && (screen === '' || screen === 'login')
    return load([...texts[language].start, ...(isSignIn ? [] : router)])
  }
  const of = (files, name) => (Object.hasOwn(files, name) ? files[name] : null)
  // index.html's own header bar is shown until the app has rendered its own (main.css).
  if (of(screens, screen)) document.documentElement.dataset.hasBar = ''
  const ofScreen = (part && of(screens, `${screen}/`)) || of(screens, screen) || []
  const words = of(texts[language], screen) || []
  load([...all, ...ofScreen, ...texts[language].all, ...words])

  const base = document.querySelector('meta[name="mira-api-base"]').content.trim().replace(/\/+$/, '')
  const headers = { Authorization: `Bearer ${token}`, 'Accept-Language': language, 'X-Time-Zone': timeZoneOf(chosen) }
  // The server stores these preferences, so they must match those of the app's requests.
  if (chosen?.analytics === false) headers['X-Analytics'] = 'off'
  const answers = {}
  const ask = (path) => {
    const address = base + path
    answers[address] = fetch(address, { headers, credentials: 'omit', signal: AbortSignal.timeout(30_000) })
    return answers[address]
  }
  // The code that uses the response handles the failure.
  const leaveIt = () => {}
  ask('/api/auth/me').catch(leaveIt)
  if (screen === 'gallery' && part === undefined && location.search === '') {
    ask('/api/media/library?sort=newest&limit=100').then(loadPictures, leaveIt)
  }
  window.earlyAnswers = { token, answers }

  function load(scripts) {
    for (const href of scripts) {
      const link = document.createElement('link')
      Object.assign(link, { rel: 'modulepreload', href, crossOrigin: '' })
      document.head.append(link)
    }
  }

  /** Preloads the pictures of the gallery's first row, in parallel with the scripts that show them. */
  async function loadPictures(answer) {
    if (!answer.ok) return
    const { media_items: items } = await answer.clone().json()
    for (const { media_type: type, thumbnail: href, metadata } of items.slice(0, innerWidth < 560 ? 2 : 4)) {
      if (href === null || !['image', 'video'].includes(type)) continue
      const link = document.createElement('link')
      const ratio = metadata.width / metadata.height
      Object.assign(
        link,
        { rel: 'preload', as: 'image', fetchPriority: 'high' },
        ratio > 0 ? sizesOf(href, ratio) : { href },
      )
      document.head.append(link)
    }
  }

  /** The same `srcset` and `sizes` as in the gallery (thumbnail-sizes.ts). */
  function sizesOf(address, ratio) {
    const widthOf = (longestSide) => Math.round(longestSide * Math.min(1, ratio))
    const height = innerWidth < 560 ? 148 : innerWidth < 900 ? 176 : 208
    return {
      imageSrcset: `${address}&size=small ${widthOf(384)}w, ${address} ${widthOf(512)}w`,
      imageSizes: `${Math.round(height * ratio)}px`,
    }
  }

  /** The chosen time zone or else the device's; UTC when the browser knows neither. */
  function timeZoneOf(settings) {
    const known = (timeZone) => {
      try {
        new Intl.DateTimeFormat('en', { timeZone })
        return typeof timeZone === 'string'
      } catch {
        return false
      }
    }
    return [settings?.timezone, new Intl.DateTimeFormat().resolvedOptions().timeZone].find(known) ?? 'UTC'
  }
})()
