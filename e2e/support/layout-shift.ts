import { expect, type Page, type Request } from '@playwright/test'

/** Layout shift entry, missing from TypeScript's types. */
interface LayoutShift extends PerformanceEntry {
  value: number
  hadRecentInput: boolean
  sources: readonly { node: Node | null }[]
}

/** Layout shifts of a page (the sum is the cumulative layout shift), and the elements that moved. */
export interface Shifts {
  sum: number
  moved: string[]
}

/** Records layout shifts without user input from the first paint on; call it before opening the page. Returns their reader. */
export async function recordLayoutShifts(page: Page): Promise<() => Promise<Shifts>> {
  await page.addInitScript(() => {
    const shifts: Shifts = { sum: 0, moved: [] }
    Object.assign(window, { shifts })
    const observer = new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as LayoutShift[]) {
        if (hadRecentInput) continue
        shifts.sum += value
        const names = sources.map(({ node }) =>
          node instanceof Element ? node.outerHTML.slice(0, 160) : (node?.textContent?.slice(0, 80) ?? 'gone'),
        )
        shifts.moved.push(`${value.toFixed(3)} ${names.join(' | ')}`)
      }
    })
    observer.observe({ type: 'layout-shift', buffered: true })
  })
  return async () => {
    await waitForPaint(page)
    return page.evaluate(() => (window as unknown as { shifts: Shifts }).shifts)
  }
}

/** Waits until the current page has been painted and its layout shifts have been reported. */
export function waitForPaint(page: Page): Promise<void> {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
  })
}

/** Waits until the visible content and images, and all audio and video, have loaded. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const isVisible = (element: Element) => {
      const { top, bottom } = element.getBoundingClientRect()
      return top < innerHeight && bottom >= 0
    }
    const placeholders = [...document.querySelectorAll('[aria-busy=true], .animate-pulse')]
    const pictures = [...document.querySelectorAll<HTMLImageElement>('main img')]
    const players = [...document.querySelectorAll<HTMLMediaElement>('main :is(video, audio)')]
    return (
      document.querySelector('main h1, main h2, main textarea') !== null &&
      !placeholders.some(isVisible) &&
      pictures.filter(isVisible).every(({ complete }) => complete) &&
      players.every(({ readyState, error }) => readyState > 0 || error !== null)
    )
  })
}

/** Holds requests to these addresses until the returned function is called. */
export async function holdRequests(page: Page, addresses: string | RegExp): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(addresses, (route) => released.then(() => route.continue()))
  return release
}

/** Tracks a page's requests. Returns a function that waits for all responses except the event stream, which never ends. */
export function trackRequests(page: Page): () => Promise<void> {
  const pending = new Set<Request>()
  page.on('request', (request) => {
    if (!request.url().endsWith('/api/events')) pending.add(request)
  })
  // the end of a response whose body isn't read is never reported
  page.on('response', (response) => pending.delete(response.request()))
  page.on('requestfailed', (request) => pending.delete(request))
  return () => expect.poll(() => [...pending].map((request) => request.url())).toEqual([])
}
