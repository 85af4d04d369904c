/** Shows the browser's own notification, where the person allowed it; one with the same tag takes its place. */
export function showOutside({ title, tag }: { title: string; tag: string }, onClick: () => void): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return
  try {
    const notification = new Notification(title, { tag })
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
