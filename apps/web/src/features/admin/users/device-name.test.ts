import { expect, it } from 'vitest'
import { readUserAgent } from './devices.tsx'

it.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
    { kind: 'computer', app: 'Edge', system: 'Windows' },
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0.0.0 Safari/537.36',
    { kind: 'computer', app: 'Chrome', system: 'Linux' },
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
    { kind: 'computer', app: 'Safari', system: 'macOS' },
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    { kind: 'phone', app: 'Safari', system: 'iPhone' },
  ],
  [
    'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0',
    { kind: 'phone', app: 'Firefox', system: 'Android' },
  ],
  ['curl/8.5.0', { kind: 'script', app: 'curl', system: '' }],
  ['node', { kind: 'script', app: 'node', system: '' }],
  ['Mozilla/5.0', { kind: 'script', app: '', system: '' }],
  ['', { kind: 'script', app: '', system: '' }],
])('identifies the device of the user agent "%s"', (userAgent, device) => {
  expect(readUserAgent(userAgent)).toEqual(device)
})
