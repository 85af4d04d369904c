import type { Page } from '@playwright/test'

/** Elements that overflow the window or their container. */
export function findOverflows(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const excess = document.documentElement.scrollWidth - window.innerWidth
    const boxes = document.querySelectorAll<HTMLElement>('main :is(button, a, h1, h2, h3, h4, p, label, dt, dd, th)')
    const overflowing = [...boxes].filter(
      (box) =>
        box.clientWidth > 1 && box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX === 'visible',
    )
    return [
      ...(excess > 0 ? [`the page, by ${excess} px`] : []),
      ...overflowing.map((box) => `${box.localName} “${box.textContent.trim().slice(0, 60)}”`),
    ]
  })
}
