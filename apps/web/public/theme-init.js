// Sets the theme before the first paint, so that nobody sees a flash of the other one.
;(() => {
  let stored = null
  try {
    stored = localStorage.getItem('theme')
  } catch {
    // Storage can be forbidden; the system's preference is as good.
  }
  const systemTheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  const theme = stored === 'light' || stored === 'dark' ? stored : systemTheme
  document.documentElement.dataset.theme = theme
  document.querySelector('meta[name="theme-color"]').content = theme === 'dark' ? '#1f2937' : '#2563eb'
})()
