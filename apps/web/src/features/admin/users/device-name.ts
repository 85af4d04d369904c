const browsers: [pattern: RegExp, name: string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
]

const systems: [pattern: RegExp, name: string, kind: DeviceKind][] = [
  [/\biPhone\b/, 'iPhone', 'phone'],
  [/\biPad\b/, 'iPad', 'phone'],
  [/\bAndroid\b/, 'Android', 'phone'],
  [/\bCrOS\b/, 'ChromeOS', 'computer'],
  [/\bWindows\b/, 'Windows', 'computer'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS', 'computer'],
  [/\bLinux\b/, 'Linux', 'computer'],
]

export type DeviceKind = 'computer' | 'phone' | 'script'

/** Readable browser or script name from a User-Agent header; names are empty when it has none. */
export function readUserAgent(userAgent: string): { kind: DeviceKind; app: string; system: string } {
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [, system = '', kind = 'computer'] = systems.find(([pattern]) => pattern.test(userAgent)) ?? []
  if (browser) return { kind, app: browser, system }
  // Scripts call themselves "curl/8.5.0" or the like.
  const app = /^[\w.-]{1,40}(?=\/|$)/.exec(userAgent)?.[0] ?? ''
  return { kind: 'script', app: app === 'Mozilla' ? '' : app, system }
}
