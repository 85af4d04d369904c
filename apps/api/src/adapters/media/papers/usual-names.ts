/** The prefix that Office itself writes for a namespace, in both editions of the standard (ISO/IEC 29500). */
const usualPrefixes: [RegExp, string][] = [
  [/\/spreadsheetml\/(?:2006\/)?main$/, ''],
  [/\/wordprocessingml\/(?:2006\/)?main$/, 'w'],
  [/\/presentationml\/(?:2006\/)?main$/, 'p'],
  [/\/drawingml\/(?:2006\/)?main$/, 'a'],
  [/\/officeDocument\/(?:2006\/)?relationships$/, 'r'],
  [/\/markup-compatibility\/2006$/, 'mc'],
  [/\/officeDocument\/(?:2006\/)?math$/, 'm'],
]

/** Mapping to the usual prefixes while an element is open. */
interface Scope {
  depth: number
  usualByWritten: Map<string, string>
}

/**
 * Tells names of XML as Office writes them. A program may call a namespace by any prefix: many that write workbooks say
 * `x:row`, and mean `row`.
 */
export function createUsualNames() {
  const scopes: Scope[] = [{ depth: 0, usualByWritten: new Map() }]
  let depth = 0
  const current = () => scopes.at(-1) as Scope

  const usual = (written: string, isAttribute: boolean) => {
    const { usualByWritten } = current()
    if (usualByWritten.size === 0) return written
    const colon = written.indexOf(':')
    // an attribute without a prefix has no namespace
    if (isAttribute && colon < 0) return written
    const prefix = usualByWritten.get(colon < 0 ? '' : written.slice(0, colon))
    if (prefix === undefined) return written
    const name = written.slice(colon + 1)
    return prefix === '' ? name : `${prefix}:${name}`
  }

  return {
    open(written: string, attributes: Record<string, string>): { name: string; attributes: Record<string, string> } {
      depth++
      const declared = declaredIn(attributes)
      if (declared.length > 0) {
        const usualByWritten = new Map(current().usualByWritten)
        for (const [prefix, namespace] of declared) {
          const found = usualPrefixes.find(([pattern]) => pattern.test(namespace))?.[1]
          if (found === undefined || found === prefix) usualByWritten.delete(prefix)
          else usualByWritten.set(prefix, found)
        }
        scopes.push({ depth, usualByWritten })
      }
      if (current().usualByWritten.size === 0) return { name: written, attributes }
      const named = Object.entries(attributes).map(([name, value]) => [usual(name, true), value] as const)
      return { name: usual(written, false), attributes: Object.fromEntries(named) }
    },

    close(written: string): string {
      const name = usual(written, false)
      if (scopes.length > 1 && current().depth === depth) scopes.pop()
      depth--
      return name
    },
  }
}

/** The namespaces that an element names, by their prefixes. */
function declaredIn(attributes: Record<string, string>): [string, string][] {
  const declared: [string, string][] = []
  for (const name in attributes) {
    if (name === 'xmlns') declared.push(['', attributes[name] as string])
    else if (name.startsWith('xmlns:')) declared.push([name.slice('xmlns:'.length), attributes[name] as string])
  }
  return declared
}
