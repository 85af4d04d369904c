// Before the first paint: sets the theme, so that nobody sees a flash of the other one, and asks for what the screen needs beside
// the first script, so that it arrives together with it: texts, scripts, who is signed in, and the first items of the gallery.
;(() => {
  let stored = null
  let token = null
  let settings = null
  try {
    stored = localStorage.getItem('theme')
    token = localStorage.getItem('token')
    settings = localStorage.getItem('settings')
  } catch {
    // Storage can be forbidden; the system's preference is as good.
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
    // The app reports corrupt settings; the browser's languages will do here.
  }
  const spoken = navigator.languages.map((tag) => tag.split('-')[0].toLowerCase())
  const language = [chosen?.language, ...spoken, 'en'].find((one) => Object.hasOwn(texts, one))
  const [, screen, part] = location.pathname.split('/')
  if (token === null) {
    // the sign-in screen alone does without the router
    const isSignIn = part === undefined && (screen === '' || screen === 'login')
    return load([...texts[language].start, ...(isSignIn ? [] : router)])
  }
  const of = (files, name) => (Object.hasOwn(files, name) ? files[name] : null)
  // the bar of the page itself stands in for that of the app (main.css)
  if (of(screens, screen)) document.documentElement.dataset.hasBar = ''
  const ofScreen = (part && of(screens, `${screen}/`)) || of(screens, screen) || []
  const words = of(texts[language], screen) || []
  load([...all, ...ofScreen, ...texts[language].all, ...words])

  const base = document.querySelector('meta[name="mira-api-base"]').content.trim().replace(/\/+$/, '')
  const headers = { Authorization: `Bearer ${token}`, 'Accept-Language': language, 'X-Time-Zone': timeZoneOf(chosen) }
  // the server remembers what it hears: this call says what those of the app say
  if (chosen?.analytics === false) headers['X-Analytics'] = 'off'
  const answers = {}
  const ask = (path) => {
    const address = base + path
    answers[address] = fetch(address, { headers, credentials: 'omit', signal: AbortSignal.timeout(30_000) })
    return answers[address]
  }
  // a failure is heard of by whoever asks again
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

  /** Asks for the pictures of the first line together with the scripts that show them. */
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

  /** The words in which the gallery asks for a picture (thumbnail-sizes.ts). */
  function sizesOf(address, ratio) {
    const widthOf = (longestSide) => Math.round(longestSide * Math.min(1, ratio))
    const height = innerWidth < 560 ? 148 : innerWidth < 900 ? 176 : 208
    return {
      imageSrcset: `${address}&size=small ${widthOf(384)}w, ${address} ${widthOf(512)}w`,
      imageSizes: `${Math.round(height * ratio)}px`,
    }
  }

  /** The one that was chosen, else the device's, as far as this browser knows them. */
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
