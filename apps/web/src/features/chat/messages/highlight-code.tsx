import { toJsxRuntime } from 'hast-util-to-jsx-runtime'
import { common, createLowlight } from 'lowlight'
import type { ReactNode } from 'react'
import { Fragment, jsx, jsxs } from 'react/jsx-runtime'

const lowlight = createLowlight(common)

/** Code with syntax highlighting; null for an unknown language. */
export function highlightCode(code: string, language: string): ReactNode {
  const name = language.toLowerCase()
  if (!lowlight.registered(name)) return null
  return toJsxRuntime(lowlight.highlight(name, code), { Fragment, jsx, jsxs })
}
