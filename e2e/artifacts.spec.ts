import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { answers } from './support/chat-page.ts'
import { expect, test } from './support/fixtures.ts'

async function ask(page: Page, question: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' })
  const earlierCount = await answers(page).count()
  await composer.fill(question)
  await composer.press('Enter')
  await expect(answers(page).nth(earlierCount)).toContainText('There it is.')
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible()
}
const fenced = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\`\n\nThere it is.`

test('artifacts open beside the conversation in a sandbox: no network, an opaque origin, a time limit', async ({
  userPage,
  server,
  pageErrors,
}) => {
  const attack = `<h1>Hello</h1><script>
    const told = []
    const note = (what, how) => { told.push(what + ': ' + how); document.querySelector('h1').textContent = told.join('; ') }
    try { localStorage.length; note('storage', 'open') } catch { note('storage', 'shut') }
    try { parent.document.title; note('page', 'open') } catch { note('page', 'shut') }
    fetch('${server.url}/api/health').then(() => note('network', 'open'), () => note('network', 'shut'))
    const picture = new Image()
    picture.onload = () => note('picture', 'open')
    picture.onerror = () => note('picture', 'shut')
    picture.src = '${server.url}/favicon.svg'
    note('rtc', typeof RTCPeerConnection === 'undefined' ? 'shut' : 'open')
  </script><button onclick="location.href = '${server.openAi.baseUrl}/stolen'">Leave</button>`
  const page = userPage
  server.openAi.when('a page', { text: fenced('html', attack) })
  server.openAi.when('a diagram', { text: fenced('mermaid', 'flowchart LR\n  harbour --> boat') })
  server.openAi.when('a drawing', {
    text: fenced('svg', '<svg viewBox="0 0 90 90"><text y="20">A&nbsp;sail<br>on water</text><circle r="9"/></svg>'),
  })
  server.openAi.when('a script', { text: fenced('javascript', 'console.log("six", 6)\nreturn 6 * 7') })
  server.openAi.when('a loop', { text: fenced('js', 'console.log("begun")\nfor (;;) {}') })
  server.openAi.when('a table', {
    text: '| Name | Sum |\n| --- | --- |\n| Anna, B. | =1+1 |\n| Ben | -3 |\n\nThere it is.',
  })
  await page.goto('/chat')

  await ask(page, 'Make a page')
  await page.getByRole('button', { name: 'Show beside the conversation' }).click()
  const panel = page.getByRole('dialog', { name: 'html' })
  // the panel doesn't cover the conversation
  const panelBox = await panel.boundingBox()
  const composerBox = await page.getByRole('textbox', { name: 'Message' }).locator('xpath=ancestor::form').boundingBox()
  expect((composerBox?.x ?? 0) + (composerBox?.width ?? 0)).toBeLessThanOrEqual(panelBox?.x ?? 0)
  // scripts don't run at first
  await expect(panel.frameLocator('iframe').frameLocator('iframe').getByRole('heading')).toHaveText('Hello')
  await expect(panel.getByText('can send its contents to other servers')).toBeVisible()
  await panel.getByRole('button', { name: 'Run', exact: true }).click()
  const heading = panel.frameLocator('iframe').getByRole('heading')
  for (const what of ['storage', 'page', 'network', 'picture', 'rtc'])
    await expect(heading).toContainText(`${what}: shut`)
  // nor can it navigate to another server, which would leak data in the address
  await panel.frameLocator('iframe').getByRole('button', { name: 'Leave' }).click()
  await expect.poll(() => pageErrors.some((message) => message.includes('frame-src'))).toBe(true)
  expect(server.openAi.requests.filter(({ path }) => path.includes('stolen'))).toEqual([])
  await panel.getByRole('button', { name: 'Close' }).click()
  // the browser reports only what it blocked
  expect(pageErrors.splice(0).filter((message) => !message.includes('Content Security Policy'))).toEqual([])

  await ask(page, 'Draw a diagram')
  await page.getByRole('button', { name: 'Show beside the conversation' }).last().click()
  const diagram = page.getByRole('dialog', { name: 'mermaid' }).frameLocator('iframe').frameLocator('iframe')
  await expect(diagram.getByText('harbour')).toBeVisible()
  await page.keyboard.press('Escape')

  // as models write them: without a namespace, and with HTML's entities and unclosed tags
  await ask(page, 'Make a drawing')
  await page.getByRole('button', { name: 'Show beside the conversation' }).last().click()
  const drawing = page.getByRole('dialog', { name: 'svg' }).frameLocator('iframe').frameLocator('iframe')
  await expect(drawing.locator('svg').getByText('on water')).toBeVisible()
  await expect(drawing.locator('svg circle')).toBeVisible()
  await page.keyboard.press('Escape')

  await ask(page, 'Write a script')
  await page.getByRole('button', { name: 'Open to run it' }).last().click()
  const script = page.getByRole('dialog', { name: 'javascript' })
  await script.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(script.getByRole('log')).toContainText('six 6')
  await expect(script.getByRole('log')).toContainText('→ 42')
  await script.getByRole('button', { name: 'Close' }).click()

  await ask(page, 'Write a loop')
  await page.getByRole('button', { name: 'Open to run it' }).last().click()
  const loop = page.getByRole('dialog', { name: 'js' })
  await loop.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(loop.getByRole('log')).toContainText('begun')
  await expect(loop.getByRole('log')).toContainText('It was stopped after 5 seconds.', { timeout: 15_000 })
  // the frame is removed
  await expect(loop.locator('iframe')).toHaveCount(0)
  await loop.getByRole('button', { name: 'Close' }).click()

  await ask(page, 'Make a table')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download as CSV' }).last().click()
  const file = await readFile((await (await download).path()) ?? '', 'utf8')
  expect(file).toBe('\uFEFFName,Sum\r\n"Anna, B.",\'=1+1\r\nBen,-3\r\n')
})

test('Python runs on a click with its standard library, in a sandbox: no network, limited memory, a time limit', async ({
  userPage: page,
  server,
  pageErrors,
}) => {
  const runProgram = async (question: string, program: string) => {
    server.openAi.when(question, { text: fenced('python', program) })
    await ask(page, question)
    await page.getByRole('button', { name: 'Open to run it' }).last().click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    return page.getByRole('dialog', { name: 'python' }).getByRole('log')
  }
  const longTimeout = { timeout: 60_000 }
  await page.goto('/chat')
  const requestedUrls: string[] = []
  page.on('request', (request) => requestedUrls.push(request.url()))

  const output = await runProgram(
    'how many',
    `import statistics, sys, js
print('mean', statistics.mean([2, 4, 9]))
print('no line end', end='')
print('aside', file=sys.stderr)
try:
    # on its way past what stands in for the network inside
    request = js.XMLHttpRequest.new()
    request.open('GET', '${server.url}/api/health', False)
    request.send()
    print('network open')
except Exception:
    print('network shut')
try:
    bytearray(2_000_000_000)
except MemoryError:
    print('memory bounded')
{'answer': 6 * 7}`,
  )
  await expect(output).toContainText("→ {'answer': 42}", longTimeout)
  for (const text of ['mean 5', 'no line end', 'aside', 'network shut', 'memory bounded'])
    await expect(output).toContainText(text)
  expect(requestedUrls.filter((url) => !url.startsWith(server.url) && !url.startsWith('blob:'))).toEqual([])
  await page.keyboard.press('Escape')

  const loop = await runProgram('for ever', 'print("begun")\nwhile True: pass')
  await expect(loop).toContainText('begun', longTimeout)
  await expect(loop).toContainText('It was stopped after 5 seconds.', { timeout: 15_000 })
  await expect(page.locator('iframe')).toHaveCount(0)
  // the browser reports only what it blocked
  expect(pageErrors.splice(0).filter((message) => !message.includes('Content Security Policy'))).toEqual([])
})
