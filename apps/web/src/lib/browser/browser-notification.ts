interface BrowserNotification {
  title: string
  /** A notification replaces an earlier one with the same tag. */
  tag: string
  /** Alert the user again when this replaces an earlier notification. Firefox and Safari ignore this option. */
  renotify?: boolean
}

/** Shows a notification of the browser, if the user has allowed notifications. */
export function showBrowserNotification({ title, ...options }: BrowserNotification, onClick: () => void): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return
  try {
    const notification = new Notification(title, options)
    notification.onclick = () => {
      window.focus()
      onClick()
      notification.close()
    }
  } catch (error) {
    // phones show notifications only through a service worker
    console.warn('The browser did not show a notification', error)
  }
}
