// Before the first paint: sets the theme, so that nobody sees a flash of the other one, and asks for the parts of the app
// that whoever is signed in needs, so that they arrive together with the first ones.
;(() => {
  let stored = null
  let token = null
  try {
    stored = localStorage.getItem('theme')
    token = localStorage.getItem('token')
  } catch {
    // Storage can be forbidden; the system's preference is as good.
  }
  const systemTheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  const theme = stored === 'light' || stored === 'dark' ? stored : systemTheme
  document.documentElement.dataset.theme = theme
  document.querySelector('meta[name="theme-color"]').content = theme === 'dark' ? '#1f2937' : '#2563eb'
  const files = document.querySelector('meta[name="signed-in-files"]')
  if (token === null || files === null) return
  for (const href of files.content.split(' ')) {
    const link = document.createElement('link')
    Object.assign(link, { rel: 'modulepreload', href, crossOrigin: '' })
    document.head.append(link)
  }
})()
