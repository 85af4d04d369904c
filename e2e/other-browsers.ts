// Goes through the app in Firefox and in WebKit, Safari's engine, if they're installed: `npm run test:browsers`. Debian has
// them as firefox-esr, and as webkit2gtk-driver with xvfb. Playwright drives only its own builds, which npm doesn't have.
import { spawn } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import puppeteer, { type ElementHandle } from 'puppeteer-core'
import { Builder, By, Capabilities, Key } from 'selenium-webdriver'
import { freePort } from '../apps/api/test/free-port.ts'
import { startTestServer, type TestServer } from './support/server.ts'

const LOAD_MS = 30_000
const WIDTHS = [1440, 460]
const SCREENS = [
  ...['/dashboard', '/chat', '/memory', '/upload', '/gallery', '/effects', '/agents', '/admin', '/admin?tab=system'],
  ...['chat-logs', 'memory-logs', 'agents-logs', 'analytics', 'automation', 'settings'].map(
    (tab) => `/dashboard?tab=${tab}`,
  ),
]
/** Collects the errors of a page. WebKit's driver can only inject it once a page has loaded; earlier errors show as missing content. */
const WATCH = `if (!window.faults) {
  window.faults = []
  addEventListener('error', (event) => faults.push(event.message))
  addEventListener('unhandledrejection', (event) => faults.push(String(event.reason)))
  console.error = (...words) => faults.push(words.join(' '))
}`

/** A window of a browser. */
interface OtherBrowser {
  resize(width: number): Promise<void>
  open(url: string): Promise<void>
  /** Result of a function's body. */
  run<Result>(body: string): Promise<Result>
  /** Clicks a field and types; '\n' is Enter. */
  type(selector: string, text: string): Promise<void>
  choose(selector: string, files: string[]): Promise<void>
  close(): Promise<void>
}

const onPath = (name: string) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync)

async function openFirefox(executablePath: string): Promise<OtherBrowser> {
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true })
  const page = await browser.newPage()
  await page.evaluateOnNewDocument(WATCH)
  return {
    resize: (width) => page.setViewport({ width, height: 900 }),
    open: async (url) => void (await page.goto(url)),
    run: <Result>(body: string) => page.evaluate(`(() => { ${body} })()`) as Promise<Result>,
    type: async (selector, text) => {
      await page.click(selector)
      await page.keyboard.type(text)
    },
    async choose(selector, files) {
      const input = (await page.$(selector)) as ElementHandle<HTMLInputElement> | null
      await input?.uploadFile(...files)
    },
    close: () => browser.close(),
  }
}

async function openWebKit(driverPath: string): Promise<OtherBrowser> {
  const port = await freePort()
  const hasScreen = process.env.DISPLAY !== undefined || process.env.WAYLAND_DISPLAY !== undefined
  const [command = '', ...args] = [...(hasScreen ? [] : ['xvfb-run', '-a']), driverPath, `--port=${port}`]
  const driver = spawn(command, args, { stdio: 'ignore', detached: true })
  const [binary] = globSync('/usr/lib/*/webkit2gtk-4.1/MiniBrowser')
  const capabilities = new Capabilities({
    browserName: 'MiniBrowser',
    'webkitgtk:browserOptions': { binary, args: ['--automation'] },
  })
  const endDriver = () => driver.pid !== undefined && process.kill(-driver.pid)
  const builder = new Builder().usingServer(`http://127.0.0.1:${port}`).withCapabilities(capabilities)
  const deadline = Date.now() + LOAD_MS
  while (!(await fetch(`http://127.0.0.1:${port}/status`).catch(() => null))?.ok && Date.now() < deadline)
    await sleep(100)
  const browser = await builder.build().catch((error: unknown) => {
    endDriver()
    throw error
  })
  const element = (selector: string) => browser.findElement(By.css(selector))
  return {
    resize: async (width) => void (await browser.manage().window().setRect({ x: 0, y: 0, width, height: 900 })),
    open: (url) => browser.get(url),
    run: (body) => browser.executeScript(body),
    type: (selector, text) => element(selector).sendKeys(text.replaceAll('\n', Key.ENTER)),
    choose: (selector, files) => element(selector).sendKeys(files.join('\n')),
    close: () => browser.quit().finally(endDriver),
  }
}

/** Visits the screens of the app, and adds errors to `faults`. */
async function walk(browser: OtherBrowser, { url, admin }: TestServer, faults: string[]): Promise<void> {
  const until = async (what: string, body: string) => {
    const deadline = Date.now() + LOAD_MS
    while (!(await browser.run<boolean>(`return ${body}`))) {
      if (Date.now() > deadline) {
        faults.push(`${what} doesn't appear`)
        return
      }
      await sleep(100)
    }
  }
  const collect = async (where: string) => {
    const onPage = await browser.run<string[]>('return window.faults?.splice(0) ?? []')
    faults.push(...onPage.map((fault) => `${where}: ${fault}`))
  }
  const open = async (path: string) => {
    await browser.open(`${url}${path}`)
    await browser.run(WATCH)
  }
  const has = (selector: string) => `document.querySelector(${JSON.stringify(selector)}) !== null`
  const says = (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`

  await open('/login')
  await until('the sign-in form', has('input[type=password]'))
  await browser.type('input[autocomplete~=username]', admin.user.username)
  await browser.type('input[type=password]', `${admin.password}\n`)
  await until('the dashboard', has('nav a[href="/chat"]'))
  for (const width of WIDTHS) {
    await browser.resize(width)
    for (const path of SCREENS) {
      await open(path)
      await until(`the heading of ${path}`, has('main h1, main h2'))
      await until(`the content of ${path}`, `!(${has('main [aria-busy=true], main .animate-pulse')})`)
      const excess = await browser.run<number>('return document.documentElement.scrollWidth - innerWidth')
      if (excess > 0) faults.push(`${path} is ${excess} px wider than its window`)
      await collect(path)
    }
  }
  await browser.resize(WIDTHS[0] ?? 1440)
  await open('/chat')
  await until('the composer', has('textarea'))
  await browser.type('textarea', 'What is a lighthouse?\n')
  await until('the answer', says('A tower with a light'))
  await collect('a chat')
  await open('/upload')
  await until('the upload', has('input[type=file]'))
  await browser.choose('input[type=file]', [resolve('docs/pictures/chat.png')])
  await until('the chosen file', says('chat.png'))
  await browser.run(
    `[...document.querySelectorAll('main button')].find((one) => /^Upload/.test(one.innerText.trim())).click()`,
  )
  await until('the uploaded file', says('Completed'))
  await collect('an upload')
}

const openers = {
  Firefox: { program: onPath('firefox-esr') ?? onPath('firefox'), open: openFirefox },
  WebKit: { program: onPath('WebKitWebDriver'), open: openWebKit },
}
let failed = 0
let passed = 0
for (const [name, { program, open }] of Object.entries(openers)) {
  if (program === undefined) {
    console.info(`${name} isn't installed.`)
    continue
  }
  const server = await startTestServer({}, [])
  server.openAi.next({ text: ['A tower with a light.'] })
  const faults: string[] = []
  try {
    const browser = await open(program)
    await walk(browser, server, faults).finally(() => browser.close())
  } catch (error) {
    faults.push(`stopped early: ${error}`)
  } finally {
    await server.stop()
  }
  console.info(`${name}: ${faults.length === 0 ? 'no faults' : ''}`)
  for (const fault of faults) console.info(`  ${fault}`)
  if (faults.length === 0) passed++
  else failed++
}
console.info(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
