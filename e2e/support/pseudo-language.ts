import type { Page } from '@playwright/test'

/** Code appended to a message file: it puts each text in brackets and makes it a third longer. */
const lengtheningCode = (names: string[]) => `
const third = (length) => ' ~~~~~'.repeat(Math.ceil(length / 18)) + '⟧'
const pseudo = (text) => {
  if (typeof text === 'string') return '⟦' + text + third(text.length)
  if (Array.isArray(text)) return ['⟦', ...text, third(JSON.stringify(text).length / 3)]
  return Object.fromEntries(Object.entries(text).map(([key, inner]) => [key, pseudo(inner)]))
}
for (const texts of [${names.join(', ')}]) Object.assign(texts.default, pseudo(texts.default))`

/** Shows the page in a pseudo-language: German with each text in brackets and a third longer. */
export async function usePseudoLanguage(page: Page): Promise<void> {
  await page.addInitScript(() => localStorage.setItem('settings', JSON.stringify({ language: 'de' })))
  await page.route('**/assets/texts-de*.js', async (route) => {
    const response = await route.fetch()
    const code = await response.text()
    const [, exported = ''] = /export\{([^}]*)\};?\s*$/.exec(code) ?? []
    const names = exported.split(',').flatMap((pair) => pair.split(' as ')[0] ?? [])
    await route.fulfill({ response, body: code + lengtheningCode(names) })
  })
}

/** Texts outside all brackets, visible or for screen readers, with at least three consecutive letters. */
export function findUntranslatedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const outside: string[] = []
    const isWording = (text: string) => /\p{L}{3,}/u.test(text)
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    let depth = 0
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode as Text
      // user content and values formatted by the browser are in these elements
      if (!parentElement || parentElement.closest('script, style, code, pre, time')) continue
      let unbracketed = ''
      for (const letter of data) {
        if (letter === '⟦') depth += 1
        else if (letter === '⟧') depth -= 1
        else if (depth === 0) unbracketed += letter
      }
      if (isWording(unbracketed) && parentElement.getClientRects().length > 0) outside.push(unbracketed.trim())
    }
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]')) {
      const attributes = ['aria-label', 'title', 'placeholder', 'alt'].map((name) => element.getAttribute(name) ?? '')
      outside.push(...attributes.filter((text) => isWording(text) && !text.includes('⟦')))
    }
    return outside
  })
}
