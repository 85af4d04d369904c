interface OutsideNotice {
  title: string
  /** A notification replaces the one with the same tag. */
  tag: string
  /** Ring again when it replaces one; Firefox and Safari ignore it. */
  renotify?: boolean
}

/** Shows the browser's own notification, where the user allowed it. */
export function showOutside({ title, ...options }: OutsideNotice, onClick: () => void): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return
  try {
    const notification = new Notification(title, options)
    notification.onclick = () => {
      window.focus()
      onClick()
      notification.close()
    }
  } catch (error) {
    // phones show them through a service worker only
    console.warn('The browser did not show a notification', error)
  }
}
