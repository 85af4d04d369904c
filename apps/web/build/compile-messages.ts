import { withNoBreakSpaces } from '@mira/shared/no-break-spaces'
import compile from 'icu-minify/compile'
import type { Plugin } from 'vite'

type MessageTree = { [key: string]: string | MessageTree }
type CompiledTree = { [key: string]: ReturnType<typeof compile> | CompiledTree }

function compileTree(tree: MessageTree): CompiledTree {
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [
      key,
      typeof value === 'string' ? compile(withNoBreakSpaces(value)) : compileTree(value),
    ]),
  )
}

/**
 * Compiles the ICU texts of `src/messages`, here and in packages/shared, when they are imported, so that the browser needs no ICU parser
 * (10 kB gzip of what the first screen loads) and an invalid text fails the build.
 */
export function compileMessages(): Plugin {
  return {
    name: 'compile-messages',
    enforce: 'pre',
    config: () => ({
      // The part of use-intl that formats texts compiled here.
      resolve: { alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } },
      // In tests, too, Vite must process use-intl itself, so that the alias applies to it.
      ssr: { noExternal: ['use-intl'] },
    }),
    transform: {
      filter: { id: /\/src\/messages\/[a-z]{2}\/[\w-]+\.json$/ },
      handler: (code) => ({ code: JSON.stringify(compileTree(JSON.parse(code))), map: null }),
    },
  }
}
