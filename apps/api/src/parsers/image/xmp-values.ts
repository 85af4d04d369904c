import { Parser } from 'htmlparser2'

/** Limit for one property. */
const MAX_VALUES = 100

/** The values of XMP properties, written as elements or as attributes. @param names with their usual prefixes, such as dc:title. */
export function xmpValues(xmp: string, names: ReadonlySet<string>): Map<string, string[]> {
  const values = new Map<string, string[]>()
  let inside: string | null = null
  let text = ''
  const keep = (name: string, value: string) => {
    const clean = value.replace(/\s+/g, ' ').trim()
    const before = values.get(name) ?? []
    if (clean !== '' && before.length < MAX_VALUES) values.set(name, [...before, clean])
  }
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        for (const [key, value] of Object.entries(attributes)) if (names.has(key)) keep(key, value)
        if (names.has(name)) inside = name
        text = ''
      },
      ontext: (more) => {
        if (inside !== null) text += more
      },
      onclosetag(name) {
        if (inside !== null) keep(inside, text)
        text = ''
        if (name === inside) inside = null
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(xmp)
  return values
}
