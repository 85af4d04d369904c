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

/** Notes from a page's first paint on what moves by itself; called before the page is opened. Returns how to read it. */
export async function noteShifts(page: Page): Promise<() => Promise<Shifts>> {
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
    await painted(page)
    return page.evaluate(() => (window as unknown as { shifts: Shifts }).shifts)
  }
}

/** Waits until the page as it is now has been painted, and what that moved has been told. */
export function painted(page: Page): Promise<void> {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
  })
}

/** Waits until nothing of what is seen is on its way any more: neither a part of the page, nor a picture or film. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const isSeen = (element: Element) => {
      const { top, bottom } = element.getBoundingClientRect()
      return top < innerHeight && bottom >= 0
    }
    const waiting = [...document.querySelectorAll('[aria-busy=true], .animate-pulse')]
    const pictures = [...document.querySelectorAll<HTMLImageElement>('main img')]
    const films = [...document.querySelectorAll<HTMLMediaElement>('main :is(video, audio)')]
    return (
      document.querySelector('main h1, main h2, main textarea') !== null &&
      !waiting.some(isSeen) &&
      pictures.filter(isSeen).every(({ complete }) => complete) &&
      films.every(({ readyState, error }) => readyState > 0 || error !== null)
    )
  })
}

/** Holds back what is asked for at these addresses until it is let go. */
export async function holdBack(page: Page, addresses: string | RegExp): Promise<() => void> {
  let letGo = () => {}
  const isFree = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(addresses, (route) => isFree.then(() => route.continue()))
  return letGo
}

/** Follows what a page asks for; returns how to wait until all of it is answered, but for the stream of events, which never ends. */
export function followRequests(page: Page): () => Promise<void> {
  const waiting = new Set<Request>()
  page.on('request', (request) => {
    if (!request.url().endsWith('/api/events')) waiting.add(request)
  })
  // of an answer whose body nobody reads no end is told
  page.on('response', (response) => waiting.delete(response.request()))
  page.on('requestfailed', (request) => waiting.delete(request))
  return () => expect.poll(() => [...waiting].map((request) => request.url())).toEqual([])
}
