import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

/** Hex colours declared in a block of tokens.css, by role. */
function readColours(selector: string): Map<string, string> {
  const start = css.indexOf(`${selector} {`)
  const block = css.slice(start, css.indexOf('\n}', start))
  return new Map([...block.matchAll(/--([a-z0-9-]+):\s*(#[0-9a-f]{6});/g)].map((match) => [match[1]!, match[2]!]))
}

/** Relative luminance, 0 to 1 (WCAG 2.2, "relative luminance"). */
function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((index) => {
    const channel = Number.parseInt(hex.slice(index, index + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** WCAG contrast ratio, 1 to 21. */
function contrast(one: string, other: string): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

const surfaces = [
  'surface',
  'surface-raised',
  'surface-overlay',
  'surface-sunken',
  'control',
  'field',
  'row-hover',
  'row-selected',
]
const tones = ['accent', 'ai', 'success', 'warning', 'danger']
const dataScale = ['data-1', 'data-2', 'data-3', 'data-4', 'data-5', 'data-6']

const textPairs: [string, string][] = [
  ...surfaces.flatMap((surface): [string, string][] => [
    ['text', surface],
    ['text-muted', surface],
    ...tones.map((tone): [string, string] => [`${tone}-text`, surface]),
  ]),
  ...tones.flatMap((tone): [string, string][] => [
    [`${tone}-text`, `${tone}-soft`],
    ['text', `${tone}-soft`],
    ['text-muted', `${tone}-soft`],
  ]),
  ...['accent', 'accent-hover', 'danger', 'danger-hover'].map((fill): [string, string] => ['on-accent', fill]),
]

const controlPairs: [string, string][] = ['surface', 'surface-raised', 'surface-overlay'].flatMap((surface) =>
  ['border-strong', 'focus', ...tones, ...dataScale].map((role): [string, string] => [role, surface]),
)

const themes = { light: readColours(':root'), dark: readColours("[data-theme='dark']") }

describe.each(Object.entries(themes))('the %s theme', (_name, colours) => {
  const measure = (one: string, other: string) => contrast(colours.get(one)!, colours.get(other)!)
  const tooFaint = (pairs: [string, string][], minRatio: number) =>
    pairs
      .filter(([one, other]) => !(measure(one, other) >= minRatio))
      .map(([one, other]) => `${one} on ${other}: ${measure(one, other).toFixed(2)}`)

  it('defines a colour for every role in the pairs', () => {
    const roles = new Set([...textPairs, ...controlPairs].flat())
    expect([...roles].filter((role) => !colours.has(role))).toEqual([])
  })

  it('gives text at least 4.5:1 on every surface it is set on', () => {
    expect(tooFaint(textPairs, 4.5)).toEqual([])
  })

  it('gives input borders, focus rings, state marks and chart colours at least 3:1', () => {
    expect(tooFaint(controlPairs, 3)).toEqual([])
  })
})

describe('the themes together', () => {
  it('declare the same roles', () => {
    expect([...themes.dark.keys()]).toEqual([...themes.light.keys()])
  })

  it('measure contrast as WCAG does', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  })

  it('make raised dark surfaces lighter', () => {
    const steps = ['surface-sunken', 'surface', 'surface-raised', 'surface-overlay'].map((role) =>
      luminance(themes.dark.get(role)!),
    )
    expect(steps).toEqual([...steps].sort((a, b) => a - b))
  })
})
